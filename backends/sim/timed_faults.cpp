#include "backends/sim/timed_faults.hpp"

#include <utility>

#include "core/faults/parse.hpp"

namespace dipaco {
void strike_at_times(const FaultPlan& plan, std::span<const NodeFacts> nodes, FaultBoard& board, FaultActions& actions,
                     Alarms& alarms, std::function<bool(NodeId)> up) {
  for (const Fault& fault : plan) {
    const bool only_time = !fault.path && !fault.outer_step && fault.stage == FaultStage::any;
    const FaultKindRow& kind = row_of(fault.kind);
    const bool in_calls = kind.strikes_writes || kind.sends != nullptr;
    if (!fault.time || !only_time || in_calls) continue;
    alarms.at(*fault.time, [&board, &actions, up, node = node_of(fault.target, nodes), time = *fault.time] {
      while (up(node)) {
        const auto strike = board.take(node, {.now = time, .outside = true});
        if (!strike) return;
        row_of(strike->kind).strike(actions, node, *strike);
      }
    });
  }
}

}  // namespace dipaco
