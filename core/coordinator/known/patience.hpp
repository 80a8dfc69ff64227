#pragma once

#include <optional>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// How long a node may be silent about what it was given, before it is asked how far it is: many times as long as the
/// computation should take there. Whoever takes longer because much has to move says so when it is asked.
/// @param cost  of the computation
/// @returns nullopt where nobody knows how fast the node is: it says nothing of its speed, and none has measured any
std::optional<Seconds> patience_with(const RunState& run, NodeId node, Flops cost);

}  // namespace dipaco
