#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Takes in how long tasks and their inner steps took, and names workers that have become slow (run.straggler_factor):
/// slower than before, than they say, or, where they say nothing, than others that compute alike.
class Measurements {
 public:
  explicit Measurements(RunState& run) : run_(run) {}

  /// A worker has ended a task. @param given  that it was given
  void ended(NodeId worker, const TaskDone& message, const GivenTask* given);
  /// A worker is there: what an earlier coordinator measured of it still holds.
  void up(NodeId worker);
  /// A worker is lost: it may come back as another machine.
  void lost(NodeId worker);

 private:
  void note_step(NodeId worker, Seconds step);
  void take_step(NodeId worker, Seconds step);
  const StepTimeRecord* noted_step(NodeId worker) const;
  bool fetched_from_afar(NodeId worker, const GivenTask& given) const;
  Stragglers::Measured compare(NodeId worker, Seconds step) const;
  std::optional<Seconds> of_its_like(NodeId worker) const;

  RunState& run_;
};

/// How fast the worker is in training, FLOPs a second: as it has measured, or says, or as a preflight was told of its
/// machine; 0: nobody knows.
double known_speed(const RunState& run, NodeId worker, const Hello& hello);

/// Takes in how fast large messages come to the node from other sites: states would move as fast.
void note_ways(RunState& run, NodeId node, const std::vector<MeasuredWay>& ways);

/// A line for each worker that is slow, for a person.
std::vector<std::string> slow_workers(const RunState& run);

}  // namespace dipaco
