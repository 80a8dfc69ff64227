#pragma once

#include <optional>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/lives.hpp"
#include "backends/sim/network/network.hpp"
#include "backends/sim/run_end.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/faults/fault_plan.hpp"

namespace dipaco {

/// What faults on purpose do to simulated nodes; from the struck node's own actor or from outside any. Nothing happens
/// to a node that is not up.
class NodeFaults : public FaultActions {
 public:
  /// @param limit  peers give a node up that is frozen for longer
  NodeFaults(Lives& lives, SimNetwork& network, Alarms& alarms, const SimRunEnd& run_end, Seconds limit)
      : lives_(lives), network_(network), alarms_(alarms), end_(run_end), limit_(limit) {}

  void end(NodeId node, std::optional<Seconds> back) override;
  void freeze(NodeId node, Seconds lasting) override;
  void delay(NodeId node, Seconds lasting) override;
  void cut(NodeId node, std::optional<NodeId> peer, Seconds lasting) override;

 private:
  void freeze_now(NodeLife& life, Seconds lasting);

  Lives& lives_;
  SimNetwork& network_;
  Alarms& alarms_;
  const SimRunEnd& end_;
  Seconds limit_;
};

}  // namespace dipaco
