#pragma once

#include <functional>
#include <span>

#include "backends/sim/engine/alarms.hpp"
#include "core/faults/board.hpp"

namespace dipaco {

/// Lets those faults of the plan that wait for nothing but a time strike then, whatever their node is at; the others
/// strike in a node's own calls (FaultySeams). One whose node is not up at its time strikes when it is back.
/// @param up  whether a node is up
void strike_at_times(const FaultPlan& plan, std::span<const NodeFacts> nodes, FaultBoard& board, FaultActions& actions,
                     Alarms& alarms, std::function<bool(NodeId)> up);

}  // namespace dipaco
