#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "core/roles/roles.hpp"
#include "core/state/archive.hpp"
#include "core/storage/memory_storage.hpp"

namespace dipaco::testing {

/// One node whose messages are made up: it hears those of a script, one after the other, and what it sends is kept.
/// Behind the script it hears Goodbye.
class ScriptedNode : public Transport, public Compute {
 public:
  explicit ScriptedNode(std::deque<Incoming> script) : script_(std::move(script)) {}

  /// Plays the role to its end.
  void run(const RunPlan& plan, Role role) {
    run_role(plan, {*this, *this, storage_, log_, archive_}, {.role = role, .site = SiteId{0}, .speed = {1e9}});
  }
  template <class M>
  std::vector<M> sent() const {
    std::vector<M> found;
    for (const Body& body : sent_) {
      if (const auto* one = std::get_if<M>(&body)) found.push_back(*one);
    }
    return found;
  }
  /// Of the script.
  std::size_t unheard() const { return script_.size(); }
  std::vector<Event> events() const { return log_.events(); }
  bool notice = false;  ///< a preemption notice is in

  NodeId self() const override { return NodeId{5}; }
  std::int32_t incarnation() const override { return 0; }
  void send(NodeId /*to*/, Message message) override { sent_.push_back(std::move(message.body)); }
  std::optional<Incoming> receive(Seconds /*timeout*/) override {
    if (script_.empty()) return Envelope{kCoordinator, {}, make_message(Goodbye{})};
    Incoming next = std::move(script_.front());
    script_.pop_front();
    return next;
  }
  /// Each look at the clock takes a moment.
  Seconds now() const override { return now_ += Seconds(0.001); }
  InnerSteps run(InnerSteps steps, Flops /*cost_of_one*/, const Work& work,
                 std::optional<Seconds> /*reserve*/) override {
    if (notice) return InnerSteps{0};
    return work(steps, stop_);
  }
  bool leaving() const override { return notice; }
  std::optional<Seconds> gone_at() const override { return std::nullopt; }

 private:
  std::deque<Incoming> script_;
  std::vector<Body> sent_;
  MemoryStorage storage_;
  MemoryEventLog log_;
  NoArchive archive_;
  std::atomic<bool> stop_{false};
  mutable Seconds now_{};
};

}  // namespace dipaco::testing
