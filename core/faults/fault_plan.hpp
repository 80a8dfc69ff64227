#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/events.hpp"
#include "core/faults/kinds.hpp"

namespace dipaco {

/// At what of its work a fault strikes a node: the seam call that shows it.
enum class FaultStage : std::uint8_t {
  any,
  hello,       ///< says hello to the coordinator
  assigning,   ///< coordinator: sends a task
  gathering,   ///< worker: asks for modules or a path state, or waits for them
  computing,   ///< worker: is in its inner steps
  storing,     ///< worker: sends a path state to a store; any role: writes to its storage
  sending,     ///< worker: sends an outer gradient; executor: a module; store: a path state or a module
  stepping,    ///< executor: has stepped a module, before it keeps it
  evaluating,  ///< worker, evaluator: scores, fits a router or routes documents
  finishing,   ///< the run's end has been told
};
inline constexpr std::size_t kFaultStages = 10;
const char* name(FaultStage stage);

/// "worker:3": the fourth node of a role, in the order of node ids.
struct FaultTarget {
  Role role{};
  std::int32_t number = 0;
  friend bool operator==(const FaultTarget&, const FaultTarget&) = default;
};

/// One fault: strikes `target` once in a run, at the first moment at which all that is given here holds. Version v of a
/// module or path state belongs to outer step v - 1, which makes it.
struct Fault {
  FaultKind kind{};
  FaultTarget target;
  std::optional<FaultTarget> peer;  ///< of a cut; absent: everyone
  std::optional<Seconds> time;      ///< on the run's clock: then or later
  std::optional<PathId> path;
  std::optional<OuterStep> outer_step;
  FaultStage stage = FaultStage::any;
  Seconds lasting{};  ///< 0 of a kill
};

using FaultPlan = std::vector<Fault>;

/// What a backend does to its nodes. Called from the struck node's own seam call, or from a timer where only `time` is
/// given.
class FaultActions {
 public:
  virtual ~FaultActions() = default;
  /// The node is gone, and begins anew after `back`. From the node's own seam call this does not return: it throws what
  /// ends the node, which is no std::exception.
  virtual void end(NodeId node, std::optional<Seconds> back) = 0;
  /// From the node's own seam call this returns once the node goes on.
  virtual void freeze(NodeId node, Seconds lasting) = 0;
  /// What it sends in the next `lasting` arrives that much later.
  virtual void delay(NodeId node, Seconds lasting) = 0;
  /// Nothing gets through between it and `peer`, or anyone where that is absent, for `lasting`.
  virtual void cut(NodeId node, std::optional<NodeId> peer, Seconds lasting) = 0;
};

}  // namespace dipaco
