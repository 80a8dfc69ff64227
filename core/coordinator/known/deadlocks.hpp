#pragma once

#include <map>
#include <vector>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Without rounds a module may wait for more contributions than will come: each path that could give one waits for
/// another module. Only the coordinator can see that no task runs and none can begin. It asks the owners then whether
/// all that was given has come and they still wait; where all do, their modules step with what they have
/// (docs/decisions/0024).
class Deadlocks {
 public:
  explicit Deadlocks(RunState& run) : run_(run) {}

  /// Asks owners, where all paths wait for their modules, and tells them what all agree on. Each once.
  void look();
  /// An owner has all contributions of which it was asked, and still waits.
  void waits(const NobodyElse& answer);
  /// The module's owner has spoken of it: it may have begun anew, and is asked again where that still holds.
  void forget(ModuleId module) { asked_.erase(module); }

 private:
  /// What an owner was asked.
  struct Asked {
    NobodyElse word;
    bool waits = false;  ///< its answer
  };

  bool all_wait() const;
  std::map<ModuleId, std::vector<TaskId>> unsettled() const;
  bool ask(ModuleId module, std::vector<TaskId> tasks);

  RunState& run_;
  std::map<ModuleId, Asked> asked_;
};

}  // namespace dipaco
