#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/transport/movement_messages.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

// Messages about who owns a module, and what owners keep at stores. See messages.hpp.

/// Up to where a module's contributions of one path are settled, that is applied or dropped: those of all tasks before
/// this outer step.
struct SettledPath {
  PathId path{};
  OuterStep outer_step{};
  friend bool operator==(const SettledPath&, const SettledPath&) = default;
  template <class A>
  void fields(A& a) {
    a(path, outer_step);
  }
};

/// A contribution that a step policy has dropped: it goes into no version.
struct Dropped {
  PathId path{};
  OuterStep outer_step{};
  std::string why;
  friend bool operator==(const Dropped&, const Dropped&) = default;
  template <class A>
  void fields(A& a) {
    a(path, outer_step, why);
  }
};

/// A contribution in an update.
struct Applied {
  PathId path{};
  OuterStep outer_step{};
  Version base{};
  std::int32_t inner_steps = 0;
  double weight = 0;  ///< in the sum, before Update::scale
  friend bool operator==(const Applied&, const Applied&) = default;
  template <class A>
  void fields(A& a) {
    a(path, outer_step, base, inner_steps, weight);
  }
};

/// What made a version of a module: the contributions in it, and those that were dropped since the version before.
struct Update {
  std::vector<Applied> applied;
  std::vector<Dropped> dropped;
  double scale = 1;  ///< of the weighted sum
  double norm = 0;   ///< of the outer gradient
  friend bool operator==(const Update&, const Update&) = default;
  template <class A>
  void fields(A& a) {
    a(applied, dropped, scale, norm);
  }
};

/// A version of a module that a node has in its storage.
struct HeldModule {
  ModuleId module;
  Version version{};
  Epoch epoch = 0;  ///< executor: of the ownership that it holds it under; 0: it only lies in its storage
  std::vector<SettledPath> settled{};  ///< executor, of what it owns
  std::vector<Dropped> dropped{};      ///< the same, of late
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, settled, dropped);
  }
};

/// Who steps a module. The epoch rises with each change; what carries a lower one is refused.
struct Owner {
  ModuleId module;
  NodeId executor{-1};
  Epoch epoch = 0;
  template <class A>
  void fields(A& a) {
    a(module, executor, epoch);
  }
};

/// From where a worker gets versions of modules.
struct SiteCache {
  NodeId store{-1};          ///< of its site, which asks owners for them; -1: the worker asks them itself
  std::vector<NodeId> near;  ///< owners of its task's modules that are at its site: it asks them itself
  template <class A>
  void fields(A& a) {
    a(store, near);
  }
};

/// Coordinator to workers and evaluators: these modules have new owners. What was asked of the old ones, or is expected
/// from them, will not come.
struct Owners {
  std::vector<Owner> owners;
  template <class A>
  void fields(A& a) {
    a(owners);
  }
};

/// A version of a path, such as the one whose hold-out has the lowest loss so far, which is kept for evaluation and
/// export (§2.7).
struct PathVersion {
  PathId path{};
  std::int32_t version = 0;
  template <class A>
  void fields(A& a) {
    a(path, version);
  }
};

/// What need not be kept for evaluations: versions up to `version`, but for those that are some path's best.
struct Released {
  std::int32_t version = 0;
  std::vector<PathVersion> best{};  ///< by path; empty without early stopping
  template <class A>
  void fields(A& a) {
    a(version, best);
  }
};

/// A module that an executor owns.
struct OwnModule {
  ModuleId module;
  Epoch epoch = 0;
  Version version{};           ///< the newest that is out; the owner begins with this one or the next
  NodeId source{-1};           ///< a store that has it; -1: this executor's storage has, or it is the prepared start
  std::vector<NodeId> copies;  ///< stores that must have a version before it is out
  std::vector<SettledPath> settled{};  ///< as far as the coordinator knows: a drop may be in no version yet
  template <class A>
  void fields(A& a) {
    a(module, epoch, version, source, copies, settled);
  }
};

/// Whether the owner at this epoch may begin with a version that lies somewhere: it is `newest`, the newest that is
/// out, or the owner before has made it of that. In rounds nobody makes another.
constexpr bool may_begin_with(Version version, Version newest, Epoch epoch) {
  const bool later = version.number > newest.number;
  return version == newest || (later && (version.owner == 0 || version.owner == epoch - 1));
}

/// Coordinator to executor: these modules are yours, and no others.
struct OwnModules {
  std::vector<OwnModule> modules;
  Released released;
  template <class A>
  void fields(A& a) {
    a(modules, released);
  }
};

/// Executor to coordinator: this version is out, and durable here and at these stores. Once more where it is in more
/// stores, or where contributions were dropped.
struct ModuleReady {
  ModuleId module;
  Version version{};
  Epoch epoch = 0;
  std::vector<NodeId> copies{};
  std::vector<SettledPath> settled{};  ///< since the last of these messages; behind a hello, all
  std::vector<Dropped> dropped{};      ///< the same
  std::vector<MeasuredWay> ways{};     ///< measured since the last of these messages
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, copies, settled, dropped, ways);
  }
};

/// Coordinator to executor and stores, under policies without rounds: tasks that are open, or contributions that are
/// not settled, began with these versions of a module. Others below the newest need not be kept.
struct KeepVersions {
  ModuleId module;
  Version newest{};
  std::vector<Version> bases;  ///< ascending
  template <class A>
  void fields(A& a) {
    a(module, newest, bases);
  }
};

/// Coordinator to executor, under policies without rounds: no task runs, and none can begin before a module steps. Of
/// contributions to what comes after this version, only those of these tasks are in hand or still to come. The owner
/// sends the same back once it has all of them and still waits. Where all owners do, it comes again as agreed.
struct NobodyElse {
  ModuleId module;
  Version version{};  ///< the newest that is known to be out
  Epoch epoch = 0;    ///< of the owner
  std::vector<TaskId> tasks;
  bool agreed = false;  ///< no module steps by itself: this one is to step with what it has
  friend bool operator==(const NobodyElse&, const NobodyElse&) = default;
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, tasks, agreed);
  }
};

/// Executor to store: keep this version of a module of mine.
struct PutModule {
  ModuleId module;
  Version version{};
  Epoch epoch = 0;
  Update update;  ///< that made it
  std::vector<SettledPath> settled;
  Values parameters;
  Values velocity;
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, update, settled, parameters, velocity);
  }
};

/// Store to executor: the copy is durable, or refused since the module has another owner.
struct ModuleStored {
  ModuleId module;
  Version version{};
  Epoch epoch = 0;
  bool accepted = false;
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, accepted);
  }
};

/// Executor to store: I own this module now; give me all versions that you have of it.
struct FetchModuleCopy {
  ModuleId module;
  Epoch epoch = 0;
  template <class A>
  void fields(A& a) {
    a(module, epoch);
  }
};

/// Store to executor: one version, older ones first.
struct ModuleCopy {
  ModuleId module;
  Version version{};
  Epoch epoch = 0;    ///< of the request
  bool last = false;  ///< the newest: no other follows
  Update update;
  std::vector<SettledPath> settled;
  Values parameters;
  Values velocity;
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, last, update, settled, parameters, velocity);
  }
};

/// Coordinator to executor: the outer gradient of this committed task may never come; make it from the store, unless it
/// is in. Worker to coordinator: I could not deliver it (`store` is -1). Store to worker: nor could I, for you.
/// Executor to coordinator, where gradients are exchanged: I lack it, have it made again (as it was asked).
struct GradientsLost {
  ModuleId module;
  TaskId task;
  NodeId store{-1};
  Version base{};                ///< of the module, that the task began with
  std::int32_t inner_steps = 0;  ///< of the task
  template <class A>
  void fields(A& a) {
    a(module, task.path, task.outer_step, store, base, inner_steps);
  }
};

/// Coordinator to worker: has the outer gradient of this task gone to the module's owner of this epoch? A worker for
/// which it has, or that is at the task and is to send it, says nothing: it arrives, or the worker hears of the loss.
/// Any other answers gradients_lost.
struct GradientDoubted {
  ModuleId module;
  TaskId task;
  Epoch epoch = 0;
  template <class A>
  void fields(A& a) {
    a(module, task.path, task.outer_step, epoch);
  }
};

}  // namespace dipaco
