#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>

#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"

// Nodes that chatter while everything about them goes off and on, at moments drawn from a seed.

namespace dipaco::testing {
namespace {

constexpr int kNodes = 5;
constexpr Seconds kTrouble{100};          ///< so long
constexpr Seconds kEnd{200};              ///< all that is lost has been told by then
constexpr std::int32_t kLives = 100'000;  ///< a number on the wire is incarnation x this + place

/// Draws of one simulation.
class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t who) : seed_(seed), who_(who) {}
  std::uint64_t below(std::uint64_t n) { return draw_below(n, seed_, Draw::jitter, who_, next_++); }
  /// In hundredths of a second, so that moments coincide now and then.
  Seconds time(Seconds end) {
    return Seconds(static_cast<double>(below(static_cast<std::uint64_t>(end.count() * 100))) / 100);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t who_;
  std::uint64_t next_ = 0;
};

struct Sent {
  Seconds time{};
  bool delivered = false;
};

/// What all nodes saw.
struct Record {
  std::map<std::pair<int, int>, std::map<std::int32_t, Sent>> sent;  ///< (from, to): by number
  std::map<std::pair<int, int>, std::int32_t> newest;                ///< (from, to): delivered
  std::map<std::pair<int, int>, std::vector<Seconds>> lost;          ///< (who hears, of whom)
  std::map<int, std::int32_t> incarnation;                           ///< the last one; none where it is gone
  std::string problems;
  int delivered = 0;
};

void take(const Incoming& incoming, int self, Seconds now, Record& record) {
  if (const auto* const lost = std::get_if<PeerLost>(&incoming)) {
    record.lost[{self, index(lost->node)}].push_back(now);
    return;
  }
  const auto& envelope = std::get<Envelope>(incoming);
  const std::pair pair{index(envelope.from), self};
  const std::int32_t number = number_of(envelope);
  Sent& sent = record.sent[pair][number];
  if (sent.delivered) record.problems += "twice; ";
  sent.delivered = true;
  const auto [newest, first] = record.newest.try_emplace(pair, number);
  if (!first && newest->second >= number) {
    record.problems += std::to_string(number);
    record.problems += " behind " + std::to_string(newest->second) + "; ";
  }
  newest->second = std::max(newest->second, number);
  ++record.delivered;
}

/// Sends, computes and listens at random, and only listens once the trouble is over.
void chatter(const PlacedNode& node, Seams seams, std::uint64_t seed, Record& record) {
  const int self = index(node.id);
  const std::int32_t life = seams.transport.incarnation();
  record.incarnation[self] = life;
  Dice dice(seed, static_cast<std::uint64_t>(1000 + kNodes * life + self));
  std::int32_t place = 0;
  while (seams.compute.now() < kEnd) {
    const bool trouble = seams.compute.now() < kTrouble;
    if (trouble && dice.below(3) == 0) {
      const int peer = static_cast<int>(dice.below(kNodes));
      const std::int32_t number = life * kLives + place++;
      record.sent[{self, peer}][number].time = seams.compute.now();
      seams.transport.send(NodeId{peer}, sized_message(dice.below(2) == 0 ? 100 : 3'000'000, number));
    }
    if (trouble && dice.below(8) == 0) {
      seams.compute.run(
          InnerSteps{4}, Flops{1e9}, [](InnerSteps n, const auto&) { return n; }, std::nullopt);
    }
    const Seconds wait = trouble ? dice.time(Seconds(2)) : kEnd - seams.compute.now();
    if (const auto incoming = seams.transport.receive(std::max(wait, Seconds(0)))) {
      take(*incoming, self, seams.compute.now(), record);
    }
  }
}

/// Of each node: whether it was up at the end.
std::map<int, bool> last_seen(const std::vector<Event>& events) {
  std::map<int, bool> up;
  for (const Event& event : events) {
    if (event.kind == EventKind::node_up || event.kind == EventKind::node_down) {
      up[index(event.node)] = event.kind == EventKind::node_up;
    }
  }
  return up;
}

/// Who was alive to the end has an answer for each message: it came, or its loss was told since.
void check_answers(Record& record) {
  for (const auto& [pair, messages] : record.sent) {
    const auto& lost = record.lost[pair];
    for (const auto& [number, sent] : messages) {
      const bool alive = record.incarnation.contains(pair.first) && number / kLives == record.incarnation[pair.first];
      const auto told = [&, when = sent.time](Seconds time) { return time >= when; };
      if (sent.delivered || !alive || std::any_of(lost.begin(), lost.end(), told)) continue;
      record.problems += std::to_string(number);
      record.problems += " from " + std::to_string(pair.first) + " to " + std::to_string(pair.second) + " vanished; ";
    }
  }
}

std::string host_name(std::uint64_t number) {
  std::string name = "h";
  return name += std::to_string(number);
}

FaultPlan node_faults(Dice& dice) {
  constexpr std::array kKinds{FaultKind::restart, FaultKind::freeze, FaultKind::delay, FaultKind::cut};
  FaultPlan plan;
  const auto target = [](int node) {
    return node == 0 ? FaultTarget{Role::coordinator, 0} : FaultTarget{Role::worker, node - 1};
  };
  for (std::uint64_t k = 6 + dice.below(10); k > 0; --k) {
    const int node = static_cast<int>(dice.below(kNodes));
    const int peer = static_cast<int>(dice.below(kNodes));
    Fault fault{.kind = kKinds[dice.below(kKinds.size())], .target = target(node), .time = dice.time(kTrouble)};
    if (fault.kind == FaultKind::cut && peer != node) fault.peer = target(peer);
    fault.lasting = dice.time(Seconds(25));
    plan.push_back(fault);
  }
  if (dice.below(3) == 0) {
    plan.push_back({.kind = FaultKind::kill,
                    .target = target(1 + static_cast<int>(dice.below(kNodes - 1))),
                    .time = dice.time(kTrouble)});
  }
  return plan;
}

std::vector<HostOutage> outages(Dice& dice) {
  std::vector<HostOutage> result;
  for (std::uint64_t k = dice.below(8); k > 0; --k) {
    const Seconds from = dice.time(kTrouble);
    result.push_back({host_name(dice.below(kNodes)), from, from + dice.time(Seconds(25))});
  }
  return result;
}

/// A link that goes off and on.
std::string profile(Dice& dice) {
  std::string text;
  double time = 0;
  for (int k = 0; k < 6; ++k) {
    time += 0.01 + dice.time(Seconds(k % 2 == 0 ? 20 : 12)).count();
    text += format_fixed(time, 2) + (k % 2 == 0 ? " 0\n" : " 1\n");
  }
  return text;
}

std::string run_monkey(std::uint64_t seed) {
  return in_child([&] {
    alarm(100);  // a simulation that does not end
    Dice dice(seed, 0);
    Record record;
    const std::string platform = with_profile(full_platform(kNodes, kLink), "l0-1", "profile");
    const std::string switching = profile(dice);
    const auto holes = outages(dice);
    // Two nodes may share a host.
    std::vector<std::string> hosts;
    for (std::uint64_t n = 0; n < kNodes; ++n) hosts.push_back(host_name(dice.below(5) == 0 ? 0 : n));
    const Simulated simulated = run_nodes(
        {platform, switching}, kNodes, [&](const PlacedNode& node, Seams seams) { chatter(node, seams, seed, record); },
        {.limit = Seconds(10), .period = Seconds(3), .faults = node_faults(dice)}, hosts,
        [&](Placement& placement) { placement.outages = holes; });
    for (const auto& [node, up] : last_seen(simulated.events)) {
      if (!up) record.incarnation.erase(node);
    }
    check_answers(record);
    if (record.delivered < 20) record.problems += "hardly a message came; ";
    return record.problems;
  });
}

}  // namespace

TEST_CASE("whatever goes off and on, messages come in order or their loss is told, and the simulation ends", "[sim]") {
  constexpr std::uint64_t kRuns = 100;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const std::string problems = run_monkey(seed);
    INFO("seed " << seed << ": " << problems);
    CHECK(problems.empty());
  }
}

}  // namespace dipaco::testing
