#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/faults/fault_plan.hpp"
#include "core/faults/kinds.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// The value of one key of [faults]: faults separated by `;`, each
///
///   ROLE:NUMBER[-ROLE:NUMBER]@CONDITION,...      worker:3@outer_step=5,sending
///                                                worker:0-store:0@time=10s,for=5s
///
/// with at least one condition of `outer_step=5`, `path=2`, `time=40s` or a stage's name, and `for=20s`, how long it
/// lasts: of all kinds but kill. The second node is a cut's; without it the first is cut off from everyone.
/// @throws ConfigError "faults.KEY: "FAULT": what is wrong with which piece; how to write it"
FaultPlan parse_faults(FaultKind kind, std::string_view value);
/// Those of all keys, in the order of FaultKind. @throws ConfigError as above
FaultPlan parse_faults(const FaultOptions& options);

/// "worker:3"
std::string text(const FaultTarget& target);
/// "restart=worker:3@outer_step=5,sending,for=3s": as a run file has it.
std::string text(const Fault& fault);

/// The node that `target` stands for. REQUIRES that check_targets has passed: a std::logic_error otherwise.
NodeId node_of(const FaultTarget& target, std::span<const NodeFacts> nodes);

/// @throws ConfigError where the plan names a node that the run does not have, with those it has
void check_targets(const FaultPlan& plan, std::span<const NodeFacts> nodes);

}  // namespace dipaco
