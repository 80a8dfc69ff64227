#include "core/faults/seams.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/faults/watch.hpp"

namespace dipaco {
namespace {

/// Lets the faults of one node strike.
class Striker {
 public:
  Striker(Role role, FaultBoard& board, FaultActions& actions, NodeId node, const Compute& clock)
      : watch(role), board_(board), actions_(actions), node_(node), clock_(clock) {}

  /// What strikes the node as it is.
  void strike() { strike_at(watch.at()); }

  /// What strikes it at `moment`. A fault of its storage first calls `partial` with what it leaves of the write.
  template <class Partial>
  void strike_at(Moment moment, const Partial& partial) {
    moment.now = clock_.now();
    while (const auto strike = board_.take(node_, moment)) {
      if (row_of(strike->kind).strikes_writes) partial(row_of(strike->kind).written);
      apply(*strike);
    }
  }
  void strike_at(const Moment& moment) {
    strike_at(moment, [](Written /*no write*/) {});
  }

  std::optional<Strike> take(Moment moment) {
    moment.now = clock_.now();
    return board_.take(node_, moment);
  }

  void apply(const Strike& strike) {
    const FaultKindRow& kind = row_of(strike.kind);
    if (kind.sends != nullptr) {
      Seconds& until = changed_until_.at(static_cast<std::size_t>(strike.kind));
      until = std::max(until, clock_.now() + strike.lasting);
      return;
    }
    kind.strike(actions_, node_, strike);
    check(!kind.ends, "a node that was ended in its own call does not go on");
  }

  Seconds now() const { return clock_.now(); }
  /// What leaves in the message's place.
  std::vector<Message> sends(Message message) const {
    std::vector<Message> all{std::move(message)};
    for (const FaultKindRow& kind : kFaultKindTable) {
      if (kind.sends == nullptr || clock_.now() >= changed_until_.at(static_cast<std::size_t>(kind.kind))) continue;
      std::vector<Message> changed;
      for (Message& one : all) {
        for (Message& each : kind.sends(std::move(one))) changed.push_back(std::move(each));
      }
      all = std::move(changed);
    }
    return all;
  }
  std::optional<Seconds> next_time() const { return board_.next_time(node_, clock_.now()); }

  Watch watch;

 private:
  FaultBoard& board_;
  FaultActions& actions_;
  NodeId node_;
  const Compute& clock_;
  std::array<Seconds, kFaultKinds> changed_until_{};  ///< by kind: those that change what it sends
};

class FaultyTransport : public Transport {
 public:
  FaultyTransport(Transport& inner, Striker& striker) : inner_(inner), striker_(striker) {}
  NodeId self() const override { return inner_.self(); }
  std::int32_t incarnation() const override { return inner_.incarnation(); }
  InMotion in_motion() const override { return inner_.in_motion(); }

  void send(NodeId to, Message message) override {
    striker_.strike_at(striker_.watch.leaves(message));
    striker_.watch.sent(message);
    for (Message& one : striker_.sends(std::move(message))) inner_.send(to, std::move(one));
  }

  std::optional<Incoming> receive(Seconds timeout) override {
    striker_.strike();
    const bool for_ever = timeout.count() < 0;
    const Seconds until = striker_.now() + timeout;
    for (;;) {
      const Seconds now = striker_.now();
      const auto next = striker_.next_time();
      const bool cut = next && (for_ever || *next < until);
      auto incoming = inner_.receive(cut ? *next - now : for_ever ? timeout : std::max(Seconds(0), until - now));
      if (incoming) {
        if (const auto* envelope = std::get_if<Envelope>(&*incoming)) striker_.watch.came(envelope->message);
      }
      striker_.strike();
      if (incoming || !cut) return incoming;
    }
  }

 private:
  Transport& inner_;
  Striker& striker_;
};

class FaultyCompute : public Compute {
 public:
  FaultyCompute(Compute& inner, Striker& striker) : inner_(inner), striker_(striker) {}
  Seconds now() const override { return inner_.now(); }
  bool leaving() const override { return inner_.leaving(); }
  std::optional<Seconds> gone_at() const override { return inner_.gone_at(); }

  InnerSteps run(InnerSteps steps, Flops cost_of_one, const Work& work, std::optional<Seconds> reserve) override {
    striker_.watch.computes();
    const auto strike = striker_.take(striker_.watch.at());
    const auto run_some = [&](InnerSteps some, const Work& of_them) {
      return inner_.run(some, cost_of_one, of_them, reserve);
    };
    const InnerSteps done = strike ? struck(*strike, steps, work, run_some) : run_some(steps, work);
    striker_.strike();
    return done;
  }

 private:
  /// Half of the steps, the fault, and, where the node lives, the rest.
  /// @param run  does so many steps of the work
  template <class Run>
  InnerSteps struck(const Strike& strike, InnerSteps steps, const Work& work, const Run& run) {
    const InnerSteps half{steps.value / 2};
    const InnerSteps before = half.value > 0 ? run(half, work) : half;
    striker_.apply(strike);
    if (before < half) return before;
    // The work begins from the start each time, so the second part does the first anew and pays for its own alone.
    const Work whole = [&](InnerSteps limit, const std::atomic<bool>& stop) {
      const InnerSteps all = work(limit + half, stop);
      return InnerSteps{std::max<std::int64_t>(all.value - half.value, 0)};
    };
    const InnerSteps after = run(steps - half, whole);
    if (after.value > 0) return half + after;
    const std::atomic<bool> never{false};
    return half.value > 0 ? work(half, never) : half;
  }

  Compute& inner_;
  Striker& striker_;
};

class FaultyStorage : public Storage {
 public:
  FaultyStorage(Storage& inner, Striker& striker) : inner_(inner), striker_(striker) {}

  bool put_if_absent(const std::string& key, const ToStore& value) override {
    strike_write(
        key, [&] { inner_.put_if_absent(key, value); }, [] {});
    return inner_.put_if_absent(key, value);
  }
  void put(const std::string& key, const ToStore& value) override {
    strike_write(
        key, [&] { inner_.put(key, value); }, [] {});
    inner_.put(key, value);
  }
  void append(const std::string& log, std::span<const std::byte> record) override {
    strike_write(
        log, [&] { inner_.append(log, record); }, [&] { inner_.append(log, record.first(record.size() / 2)); });
    inner_.append(log, record);
  }
  std::optional<std::vector<std::byte>> get(const std::string& key) const override {
    striker_.strike();
    return inner_.get(key);
  }
  std::vector<std::string> list(const std::string& prefix) const override {
    striker_.strike();
    return inner_.list(prefix);
  }
  void remove(const std::string& key) override {
    striker_.strike();
    inner_.remove(key);
  }

 private:
  /// @param whole  the write: it is there where its sync alone fails
  /// @param part   what is left of it where it stops in the middle. A value is written aside and renamed: nothing
  template <class Whole, class Part>
  void strike_write(const std::string& key, const Whole& whole, const Part& part) {
    striker_.strike_at(striker_.watch.writes(key), [&](Written written) {
      if (written == Written::all) whole();
      if (written == Written::part) part();
    });
  }

  Storage& inner_;
  Striker& striker_;
};

}  // namespace

struct FaultySeams::Parts {
  Parts(Striker&& made, Transport& inner_transport, Compute& inner_compute, Storage& inner_storage)
      : striker(std::move(made)),
        transport(inner_transport, striker),
        compute(inner_compute, striker),
        storage(inner_storage, striker) {}

  Striker striker;
  FaultyTransport transport;
  FaultyCompute compute;
  FaultyStorage storage;
};

FaultySeams::FaultySeams(Role role, FaultBoard& board, FaultActions& actions, Transport& transport, Compute& compute,
                         Storage& storage)
    : parts_(std::make_unique<Parts>(Striker(role, board, actions, transport.self(), compute), transport, compute,
                                     storage)) {}

FaultySeams::~FaultySeams() = default;

Transport& FaultySeams::transport() { return parts_->transport; }
Compute& FaultySeams::compute() { return parts_->compute; }
Storage& FaultySeams::storage() { return parts_->storage; }

}  // namespace dipaco
