#include "backends/sim/timed_faults.hpp"

#include <utility>

#include "core/faults/parse.hpp"

namespace dipaco {
namespace {

void apply(const Strike& strike, NodeId node, FaultActions& actions) {
  switch (strike.kind) {
    case FaultKind::freeze:
      return actions.freeze(node, strike.lasting);
    case FaultKind::delay:
      return actions.delay(node, strike.lasting);
    case FaultKind::cut:
      return actions.cut(node, strike.peer, strike.lasting);
    case FaultKind::kill:
      return actions.end(node, std::nullopt);
    case FaultKind::restart:
    case FaultKind::disk_full:
    case FaultKind::short_write:
    case FaultKind::sync_error:
      return actions.end(node, strike.lasting);
    case FaultKind::poison:
      return;
  }
}

}  // namespace

void strike_at_times(const FaultPlan& plan, std::span<const NodeFacts> nodes, FaultBoard& board, FaultActions& actions,
                     Alarms& alarms, std::function<bool(NodeId)> up) {
  for (const Fault& fault : plan) {
    const bool only_time = !fault.path && !fault.outer_step && fault.stage == FaultStage::any;
    const bool in_calls = strikes_storage(fault.kind) || fault.kind == FaultKind::poison;
    if (!fault.time || !only_time || in_calls) continue;
    alarms.at(*fault.time, [&board, &actions, up, node = node_of(fault.target, nodes), time = *fault.time] {
      while (up(node)) {
        const auto strike = board.take(node, {.now = time});
        if (!strike) return;
        apply(*strike, node, actions);
      }
    });
  }
}

}  // namespace dipaco
