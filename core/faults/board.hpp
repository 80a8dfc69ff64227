#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/faults/fault_plan.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// What a node is at, as its seam calls show it.
struct Moment {
  Seconds now{};
  PathId path{-1};
  OuterStep outer_step = kNoOuterStep;
  FaultStage stage = FaultStage::any;
  bool writing = false;   ///< to its storage: `storing` whatever the stage is
  bool stepping = false;  ///< that write is an executor's, of a module
  bool outside = false;   ///< no call of the node's own: what changes its messages does not strike
};

/// A fault that strikes now.
struct Strike {
  FaultKind kind{};
  std::optional<NodeId> peer;  ///< of a cut; absent: everyone
  Seconds lasting{};
};

/// The faults of one run, and which of them have struck: shared by its nodes and by all their incarnations, so that a
/// fault strikes once. Thread-safe.
class FaultBoard {
 public:
  /// @throws ConfigError where the plan names a node that is not among `nodes`
  FaultBoard(const FaultPlan& plan, std::span<const NodeFacts> nodes);

  /// True where the plan has anything for `node`: the others need no FaultySeams.
  bool concerns(NodeId node) const;
  /// The first fault of the plan that has not struck and strikes `node` at this moment; it has struck from now on. Ask
  /// again until there is none.
  std::optional<Strike> take(NodeId node, const Moment& moment);
  /// The next time after `now` that a fault of `node` waits for.
  std::optional<Seconds> next_time(NodeId node, Seconds now) const;
  /// The faults that have not struck. At a run's end: those whose moment never came.
  FaultPlan pending() const;

 private:
  struct Entry {
    Fault fault;
    NodeId node{};
    std::optional<NodeId> peer;
    bool struck = false;
  };

  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace dipaco
