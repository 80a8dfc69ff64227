#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

// Messages about who owns a module, and what owners keep at stores. See messages.hpp.

/// A version of a module that a node has in its storage.
struct HeldModule {
  ModuleId module;
  std::int32_t version = 0;
  Epoch epoch = 0;  ///< executor: of the ownership that it holds it under; 0: it only lies in its storage
  template <class A>
  void fields(A& a) {
    a(module, version, epoch);
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

/// Coordinator to workers and evaluators: these modules have new owners. What was asked of the old ones, or is expected
/// from them, will not come.
struct Owners {
  std::vector<Owner> owners;
  template <class A>
  void fields(A& a) {
    a(owners);
  }
};

/// The version of a path whose hold-out has the lowest loss so far: kept for evaluation and export (§2.7).
struct BestVersion {
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
  std::vector<BestVersion> best{};  ///< by path; empty without early stopping
  template <class A>
  void fields(A& a) {
    a(version, best);
  }
};

/// A module that an executor owns.
struct OwnModule {
  ModuleId module;
  Epoch epoch = 0;
  std::int32_t version = 0;    ///< the newest that is out; the owner begins with this one or the next
  NodeId source{-1};           ///< a store that has it; -1: this executor's storage has, or it is the prepared start
  std::vector<NodeId> copies;  ///< stores that must have a version before it is out
  template <class A>
  void fields(A& a) {
    a(module, epoch, version, source, copies);
  }
};

/// Coordinator to executor: these modules are yours, and no others.
struct OwnModules {
  std::vector<OwnModule> modules;
  Released released;
  template <class A>
  void fields(A& a) {
    a(modules, released);
  }
};

/// Executor to coordinator: this version is out, and durable here and at these stores.
struct ModuleReady {
  ModuleId module;
  std::int32_t version = 0;
  Epoch epoch = 0;
  std::vector<NodeId> copies{};
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, copies);
  }
};

/// Executor to store: keep this version of a module of mine.
struct PutModule {
  ModuleId module;
  std::int32_t version = 0;
  Epoch epoch = 0;
  double norm = 0;  ///< of the outer gradient that made it
  Values parameters;
  Values velocity;
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, norm, parameters, velocity);
  }
};

/// Store to executor: the copy is durable, or refused since the module has another owner.
struct ModuleStored {
  ModuleId module;
  std::int32_t version = 0;
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
  std::int32_t version = 0;
  Epoch epoch = 0;    ///< of the request
  bool last = false;  ///< the newest: no other follows
  double norm = 0;
  Values parameters;
  Values velocity;
  template <class A>
  void fields(A& a) {
    a(module, version, epoch, last, norm, parameters, velocity);
  }
};

/// Coordinator to executor: the outer gradient of this committed task may never come; make it from the store, unless it
/// is in. Worker to coordinator: I could not deliver it (`store` is -1).
struct GradientsLost {
  ModuleId module;
  TaskId task;
  NodeId store{-1};
  template <class A>
  void fields(A& a) {
    a(module, task.path, task.outer_step, store);
  }
};

}  // namespace dipaco
