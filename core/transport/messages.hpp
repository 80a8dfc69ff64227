#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/log/events.hpp"
#include "core/log/traffic.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

// Each struct lists its fields once, in `fields`; encoding, decoding and size follow from that list (messages.cpp).

/// Any node to the coordinator, at its start and after a restart.
struct Hello {
  Role role{};
  std::int32_t incarnation = 0;
  SiteId site{};
  double speed = 0;  ///< floating-point operations a second in training
  std::string config_hash;
  std::string prepared_hash;
  std::string arithmetic;  ///< Trainer::description(): results are bit-equal only where it is equal
  template <class A>
  void fields(A& a) {
    a(role, incarnation, site, speed, config_hash, prepared_hash, arithmetic);
  }
};

/// Coordinator to executor: these modules are yours.
struct OwnModules {
  std::vector<ModuleId> modules;
  template <class A>
  void fields(A& a) {
    a(modules);
  }
};

/// Coordinator to worker: train this path.
struct Task {
  TaskId id;
  Epoch epoch = 0;
  std::int32_t first_inner_step = 0;  ///< done already, by an attempt that was handed back
  NodeId from_store{-1};              ///< has the path state; -1: the prepared start is it
  NodeId to_store{};                  ///< gets the result
  std::vector<NodeId> executors;      ///< [L] of the path's modules; -1 for a path-specific one
  template <class A>
  void fields(A& a) {
    a(id.path, id.outer_step, epoch, first_inner_step, from_store, to_store, executors);
  }
};

/// Store to coordinator: this task is committed (or, with inner_steps > 0, handed back so far).
struct Committed {
  PathId path{};
  std::int32_t version = 0;
  std::int32_t inner_steps = 0;
  Epoch epoch = 0;
  NodeId worker{};
  double loss_sum = 0;
  template <class A>
  void fields(A& a) {
    a(path, version, inner_steps, epoch, worker, loss_sum);
  }
};

/// Executor to coordinator: this version is out.
struct ModuleReady {
  ModuleId module;
  std::int32_t version = 0;
  template <class A>
  void fields(A& a) {
    a(module, version);
  }
};

/// Coordinator to executor: the worker of this committed task is gone; what you lack of it, make from the store.
struct GradientsLost {
  ModuleId module;
  TaskId task;
  NodeId store{};
  template <class A>
  void fields(A& a) {
    a(module, task.path, task.outer_step, store);
  }
};

/// Coordinator to store: what have you of this path? From now on refuse epochs below this one.
struct QueryPath {
  PathId path{};
  std::int32_t outer_step = 0;  ///< of the task whose attempt was lost
  Epoch epoch = 0;
  template <class A>
  void fields(A& a) {
    a(path, outer_step, epoch);
  }
};

/// Store to coordinator.
struct PathStatus {
  PathId path{};
  Epoch epoch = 0;            ///< of the query
  std::int32_t version = -1;  ///< newest committed; -1: none here
  std::int32_t partial_version = -1;
  std::int32_t partial_inner_steps = 0;
  template <class A>
  void fields(A& a) {
    a(path, epoch, version, partial_version, partial_inner_steps);
  }
};

/// Worker to coordinator: I am free, and what became of my task.
struct TaskDone {
  TaskId id;
  Epoch epoch = 0;
  std::int32_t inner_steps = 0;  ///< done by this attempt
  bool committed = false;        ///< the store has acknowledged it; the store's own Committed may come later
  bool leaving = false;          ///< after a notice: give me nothing more
  template <class A>
  void fields(A& a) {
    a(id.path, id.outer_step, epoch, inner_steps, committed, leaving);
  }
};

/// Coordinator to worker or evaluator: score this path's validation documents.
struct Evaluate {
  PathId path{};
  std::int32_t version = 0;
  NodeId store{-1};
  std::vector<NodeId> executors;
  template <class A>
  void fields(A& a) {
    a(path, version, store, executors);
  }
};

/// Worker or evaluator to coordinator.
struct Evaluated {
  PathId path{};
  std::int32_t version = 0;
  double nats = 0;
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;
  std::int64_t documents = 0;
  template <class A>
  void fields(A& a) {
    a(path, version, nats, tokens, bytes, documents);
  }
};

/// Coordinator to executors and stores: this version was evaluated and need not be kept for it any more.
struct Release {
  std::int32_t version = 0;
  template <class A>
  void fields(A& a) {
    a(version);
  }
};

/// Coordinator to all: the run is over. Owners keep and hash their modules; everyone ends.
struct Finish {
  std::int32_t version = 0;
  std::vector<PathId> paths;  ///< to a store: whose path-specific modules it owns
  template <class A>
  void fields(A& a) {
    a(version, paths);
  }
};

struct OwnedHash {
  ModuleId module;
  std::string hash;
};

/// Any node to the coordinator, its last message.
struct Finished {
  std::vector<OwnedHash> hashes;
  template <class A>
  void fields(A& a) {
    a(hashes);
  }
};

/// The order is MessageKind's.
using Body = std::variant<Hello, OwnModules, Task, FetchModule, ModuleValues, FetchPathState, PathState, PutPathState,
                          Stored, Committed, OuterGradient, FetchPathModule, PathModule, ModuleReady, GradientsLost,
                          QueryPath, PathStatus, TaskDone, Evaluate, Evaluated, Release, Finish, Finished>;
static_assert(std::variant_size_v<Body> == kMessageKinds);

struct Message {
  Body body;
  Bytes wire_size;  ///< what the network is charged

  MessageKind kind() const { return static_cast<MessageKind>(body.index()); }
};

/// Wraps a body with what it weighs on the wire: its encoding, with 4 bytes for each charged float.
Message make_message(Body body);

/// The encoding, little-endian, kind first. REQUIRES: values that are charged for are there (charged = data->size()).
std::vector<std::byte> encode(const Message& message);
/// @throws DataError naming `source` and the offset where the bytes are damaged.
Message decode_message(std::span<const std::byte> bytes, const std::string& source);

}  // namespace dipaco
