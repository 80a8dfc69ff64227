#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/roles/roles.hpp"
#include "core/transport/arrival_times.hpp"

namespace dipaco {

/// Keeps the coordinator knowing this node: says hello at its start, when asked, and again and again once the
/// coordinator was lost. All of a node's messages come through here.
class Presence {
 public:
  /// @param say  adds to a Hello what this node has and does
  Presence(const RunPlan& plan, Seams seams, const NodeSelf& self, std::function<void(Hello&)> say);

  /// @param asked  whether the coordinator has asked for it
  void greet(bool asked = false);
  /// The next message, or loss of another node than the coordinator, or notice; nullopt once `timeout` has passed
  /// (below 0: never).
  /// @throws RunError with status 5 where the coordinator was not heard of for liveness.deadline
  std::optional<Incoming> receive(Seconds timeout);
  /// What it has measured since this was called last.
  std::vector<MeasuredWay> take_ways() { return arrivals_.take(); }

 private:
  /// True where this was about the coordinator and is settled here.
  bool settle(const Incoming& incoming);
  void lost_coordinator();
  void say_how_far(const HowFar& question) const;

  const RunPlan& plan_;
  Seams seams_;
  NodeSelf self_;
  std::function<void(Hello&)> say_;
  std::optional<Seconds> lost_since_;  ///< the coordinator
  std::optional<Seconds> greet_at_;
  Seconds interval_{};  ///< between hellos, growing
  std::int64_t received_ = 0;
  ArrivalTimes arrivals_;
};

}  // namespace dipaco
