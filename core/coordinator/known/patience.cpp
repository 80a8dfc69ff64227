#include "core/coordinator/known/patience.hpp"

namespace dipaco {
namespace {

/// To ask costs two small messages, and to be asked nothing; but who does not answer in as long again is given up. A
/// machine may be that much slower for once, an evaluation that much slower than its operations say.
constexpr double kTimes = 10;
/// What is near the end of so many liveness limits has said hello again by then, or is lost.
constexpr double kLimits = 6;

/// What an inner step takes on the node at worst, as far as is known: measured there, said by the node, or measured
/// anywhere.
std::optional<Seconds> step_time(const RunState& run, NodeId node) {
  if (const auto measured = run.step_times.of(node)) return measured->at_worst();
  const KnownNode* const member = run.members.find(node);
  if (member != nullptr && member->speed > 0) return Seconds(run.plan.inner_step_cost.value / member->speed);
  if (const auto measured = run.step_times.of_all()) return measured->at_worst();
  return std::nullopt;
}

}  // namespace

std::optional<Seconds> patience_with(const RunState& run, NodeId node, Flops cost) {
  const auto step = step_time(run, node);
  if (!step) return std::nullopt;
  return kTimes * (cost.value / run.plan.inner_step_cost.value) * *step + kLimits * run.plan.config.liveness.limit;
}

}  // namespace dipaco
