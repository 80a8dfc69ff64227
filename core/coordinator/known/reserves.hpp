#pragma once

#include <string>
#include <vector>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Names workers that the run's schedule lets wait.
class Reserves {
 public:
  explicit Reserves(RunState& run) : run_(run) {}

  /// After tasks were given out: names those that have begun to wait.
  void look();
  /// The worker got a task.
  void called_up(NodeId worker);

 private:
  RunState& run_;
};

/// A line for each worker in reserve, for a person; of very many the first ones.
std::vector<std::string> workers_in_reserve(const RunState& run);

}  // namespace dipaco
