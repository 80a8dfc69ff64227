#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/events.hpp"
#include "core/events/traffic.hpp"
#include "core/transport/job_messages.hpp"
#include "core/transport/line_messages.hpp"
#include "core/transport/merge_messages.hpp"
#include "core/transport/module_messages.hpp"
#include "core/transport/movement_messages.hpp"
#include "core/transport/parts.hpp"
#include "core/transport/preflight_messages.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

// Each struct lists its fields once, in `fields`; encoding, decoding and size follow from that list (messages.cpp).

/// A path state that a store has: whole (inner_steps 0), or a part of task `version`.
struct HeldState {
  PathId path{};
  std::int32_t version = 0;
  std::int32_t inner_steps = 0;
  Epoch epoch = 0;      ///< of the attempt that made it
  NodeId worker{};      ///< who put it
  double loss_sum = 0;  ///< of the mean losses of the task's inner steps so far, nats a token
  template <class A>
  void fields(A& a) {
    a(path, version, inner_steps, epoch, worker, loss_sum);
  }
};

/// Any node to the coordinator: at its start, when it has lost the coordinator, and when asked. Says all it has, so
/// that a coordinator that begins anew knows as much as one that was always there.
struct Hello {
  Role role{};
  std::int32_t incarnation = 0;
  SiteId site{};
  std::string machine;  ///< nodes of one machine are lost together
  double speed = 0;     ///< floating-point operations a second in training
  std::string config_hash;
  std::string prepared_hash;
  std::string arithmetic;           ///< Trainer::description(): results are bit-equal only where it is equal
  bool asked = false;               ///< the coordinator wanted to know who is there
  TaskId task{PathId{-1}, {}};      ///< worker: that it is at; path -1: none
  Epoch epoch = 0;                  ///< of that attempt
  std::vector<HeldState> states;    ///< store
  std::vector<HeldModule> modules;  ///< store, executor
  /// Of a worker: it is not free.
  bool occupied() const { return task.path != PathId{-1}; }
  template <class A>
  void fields(A& a) {
    a(role, incarnation, site, machine, speed, config_hash, prepared_hash, arithmetic, asked, task.path,
      task.outer_step, epoch, states, modules);
  }
};

/// Coordinator, begun anew, to a node that it knew: say hello.
struct WhoIsThere {
  template <class A>
  void fields(A& /*a*/) {}
};

/// Coordinator to worker: train this path.
struct Task {
  TaskId id;
  Epoch epoch = 0;
  bool again = false;                 ///< told before: only where things are has changed
  std::int32_t first_inner_step = 0;  ///< done already, by an attempt that was handed back
  std::int32_t inner_steps = 0;       ///< that a whole attempt does, those before first_inner_step too
  bool last = false;                  ///< where tasks differ in length: the path has none behind it
  NodeId from_store{-1};              ///< has the path state; -1: the prepared start is it
  std::vector<NodeId> to_stores;      ///< all get the result
  std::vector<Owner> owners;          ///< of the path's shared modules
  Base base{};                        ///< that every attempt begins with; not told again
  SiteCache cache{};
  template <class A>
  void fields(A& a) {
    a(id.path, id.outer_step, epoch, again, first_inner_step, inner_steps, last, from_store, to_stores, owners, base);
    cache.fields(a);
  }
};

/// Store to coordinator: this task is committed here (or, with inner_steps > 0, handed back so far).
struct Committed {
  HeldState state;
  std::vector<MeasuredWay> ways{};  ///< measured since the last of these messages
  template <class A>
  void fields(A& a) {
    state.fields(a);
    a(ways);
  }
};

/// Store to coordinator: a value of what this attempt has put here is not finite, so it is not kept.
struct StateRefused {
  TaskId task;
  Epoch epoch = 0;  ///< of the attempt
  NodeId worker{};  ///< who put it
  template <class A>
  void fields(A& a) {
    a(task.path, task.outer_step, epoch, worker);
  }
};

/// Coordinator to store: send this state to that store, which lacks it.
struct CopyPathState {
  PathId path{};
  std::int32_t version = 0;
  NodeId to{};
  template <class A>
  void fields(A& a) {
    a(path, version, to);
  }
};

/// Coordinator to store: what have you of this path? From now on refuse epochs below this one.
struct QueryPath {
  PathId path{};
  OuterStep outer_step{};  ///< of the task whose attempt was lost
  Epoch epoch = 0;
  template <class A>
  void fields(A& a) {
    a(path, outer_step, epoch);
  }
};

/// Store to coordinator. What it has it has told before: its Committed went ahead of this on the same way.
struct PathStatus {
  PathId path{};
  OuterStep outer_step{};
  Epoch epoch = 0;  ///< of the query
  template <class A>
  void fields(A& a) {
    a(path, outer_step, epoch);
  }
};

/// Worker to coordinator: I am free, and what became of my task. Of path -1, also from an evaluator: only that it
/// leaves, whatever job it has.
struct TaskDone {
  TaskId id;
  Epoch epoch = 0;
  std::int32_t inner_steps = 0;     ///< done by this attempt
  double computing = 0;             ///< seconds that these took
  bool committed = false;           ///< the store has acknowledged it; the store's own Committed may come later
  bool leaving = false;             ///< after a notice: give me nothing more
  std::vector<MeasuredWay> ways{};  ///< measured since the last of these messages
  template <class A>
  void fields(A& a) {
    a(id.path, id.outer_step, epoch, inner_steps, computing, committed, leaving, ways);
  }
};

/// Coordinator to executors and stores: what need not be kept for an evaluation any more.
struct Release {
  Released released;
  template <class A>
  void fields(A& a) {
    released.fields(a);
  }
};

/// Coordinator to executors and stores: the run is over; keep and hash what is yours.
struct Finish {
  std::int32_t version = 0;
  std::vector<PathVersion> paths;  ///< to a store: of whose path-specific modules it has the last version
  std::vector<PathVersion> best;   ///< to be kept beside; to a store: those of which it has the path's state
  Base modules{};                  ///< to an executor: the last versions of shared modules
  template <class A>
  void fields(A& a) {
    a(version, paths, best, modules);
  }
};

struct OwnedHash {
  ModuleId module;
  std::string hash;
  template <class A>
  void fields(A& a) {
    a(module, hash);
  }
};

/// Executor or store to coordinator.
struct Finished {
  std::vector<OwnedHash> hashes;
  std::vector<HeldModule> best;  ///< earlier versions that are some path's best, kept beside
  template <class A>
  void fields(A& a) {
    a(hashes, best);
  }
};

/// Coordinator to all, its last message.
struct Goodbye {
  template <class A>
  void fields(A& /*a*/) {}
};

/// The order is MessageKind's.
using Body =
    std::variant<Hello, WhoIsThere, OwnModules, Owners, Task, FetchModule, ModuleValues, FetchPathState, PathState,
                 PutPathState, Stored, CopyPathState, Committed, OuterGradient, FetchPathModule, PathModule, PutModule,
                 ModuleStored, FetchModuleCopy, ModuleCopy, ModuleReady, GradientsLost, QueryPath, PathStatus, TaskDone,
                 Evaluate, Evaluated, FitRouter, RouterFitted, RouteDocuments, DocumentsRouted, FetchShard,
                 ShardDocuments, ShardSizes, Release, Finish, Finished, Goodbye, Attend, MeasureLink, Probe,
                 ProbeArrived, LinkMeasured, StateRefused, KeepVersions, HowFar, Movement, MakeGradients, GradientsMade,
                 NobodyElse, AskForTurn, Turn, TurnOver, GradientDoubted, FetchThroughCache, FetchFailed,
                 RelayedGradient, GradientSum, GradientTaken, RegionDifference, GlobalParameters, LastDifference>;
static_assert(std::variant_size_v<Body> == kMessageKinds);

/// What travels, and what it costs. Values are shared, so that a copy is cheap.
struct Message {
  Body body;
  Bytes wire_size;  ///< what the network is charged

  MessageKind kind() const { return static_cast<MessageKind>(body.index()); }
};

/// Wraps a body with what it weighs on the wire: its encoding, with 4 bytes for each charged float, or the bytes of
/// an outer gradient's format.
Message make_message(Body body);

/// The encoding, little-endian, kind first: wire_size bytes where all values that are charged for are there.
std::vector<std::byte> encode(const Message& message);
/// The encoding without long arrays of values.
/// @param apart  gets these, in the order in which they are left out: they lie in the message
std::vector<std::byte> encode_apart(const Message& message, std::vector<LongArray>& apart);
/// @throws DataError naming `source` and the offset where the bytes are damaged.
Message decode_message(std::span<const std::byte> bytes, const std::string& source);
/// The same of encode_apart's: the message keeps the arrays.
Message decode_apart(std::span<const std::byte> bytes, std::span<const ReceivedArray> apart, const std::string& source);

}  // namespace dipaco
