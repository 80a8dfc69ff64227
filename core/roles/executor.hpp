#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/roles/modules/given_gradient.hpp"
#include "core/roles/modules/outer_stepper.hpp"
#include "core/roles/modules/regional_merges.hpp"
#include "core/roles/modules/store_errands.hpp"
#include "core/roles/modules/version_requests.hpp"
#include "core/roles/modules/wake_times.hpp"
#include "core/roles/presence.hpp"
#include "core/roles/roles.hpp"
#include "core/state/module_files.hpp"

namespace dipaco {

/// Adds outer gradients as they arrive, in any order, and steps a module once the run's policy says so (§3.3). A
/// version leaves its executor once it is durable: in the executor's storage and at the stores that the coordinator
/// named.
class Executor {
 public:
  Executor(const RunPlan& plan, Seams seams, const NodeSelf& self);
  void run();

 private:
  using Module = OwnedModule;
  struct Early {
    std::vector<GivenGradient> gradients;  ///< of modules or phases that are not known here yet
    std::map<ModuleId, Epoch> told;        ///< newest epoch of each module that it owns, or has owned
  };

  void receive_one();
  void handle(NodeId from, Message message);
  void say(Hello& hello);

  // Ownership (executor_modules.cpp).
  void take(const OwnModules& own);
  void begin(const OwnModule& own);
  void load(ModuleId module, Version version);
  void take_copy(NodeId from, const ModuleCopy& copy);
  void stored(NodeId from, const ModuleStored& answer);
  void publish_if_durable(ModuleId module, Module& mine);
  void announce(ModuleId module, Module& mine);

  // Outer steps (executor.cpp).
  void take_early();
  void add(const OuterGradient& given, NodeId from);
  std::vector<TaskId> add(const GradientSum& given);
  void drop(ModuleId module, Module& mine, const Dropped& dropped, NodeId from);
  bool step_if_due(ModuleId module, Module& mine);
  void step(ModuleId module, Module& mine, double scale);
  void make_again(const GradientsLost& lost);
  void add_from_store(const PathModule& after);

  const RunPlan& plan_;
  Seams seams_;
  Presence presence_;
  ModuleFiles files_;
  OuterStepper stepper_;
  StoreErrands errands_;
  VersionRequests requests_;
  WakeTimes wakes_;
  std::map<ModuleId, Module> modules_;
  RegionalMerges merges_;
  Early early_;
  bool finished_ = false;
};

}  // namespace dipaco
