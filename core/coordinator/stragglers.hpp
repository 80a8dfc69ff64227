#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/coordinator/run_state.hpp"

namespace dipaco {

/// Names workers whose inner steps take much longer than before, than they have said, or, where they say nothing, than
/// those of workers that compute alike (run.straggler_factor); and says when one is as fast as that again.
class Stragglers {
 public:
  explicit Stragglers(RunState& run) : run_(run) {}

  /// What the worker's last task has measured. REQUIRES that `step_times` does not know of it yet.
  void measured(NodeId worker, Seconds inner_step);
  void lost(NodeId worker) { named_.erase(worker); }
  /// A line for each that is named.
  std::vector<std::string> lines() const;

 private:
  /// What a worker's inner steps are compared with.
  struct Usual {
    Seconds step{};
    const char* whose = "";  ///< as it ends a sentence: "as long as ..."
  };
  std::optional<Usual> usual(NodeId worker, Seconds inner_step) const;
  std::optional<Seconds> of_its_like(NodeId worker) const;
  std::string describe(NodeId worker) const;

  struct Named {
    Usual usual;
    Seconds newest{};
    Seconds at{};
  };
  std::string line(NodeId worker, const Named& named) const;

  RunState& run_;
  std::map<NodeId, Named> named_;
};

}  // namespace dipaco
