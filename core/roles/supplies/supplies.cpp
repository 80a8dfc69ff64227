#include "core/roles/supplies/supplies.hpp"

#include <utility>
#include <variant>

#include "core/roles/supplies/asking.hpp"

namespace dipaco {

Supplies::Supplies(const RunPlan& plan, Transport& transport, const Compute& clock)
    : modules(plan, transport),
      shards(plan, transport),
      state(plan, transport),
      liveness_(plan.config.liveness),
      clock_(clock) {}

bool Supplies::take(Body& body) {
  if (const auto* values = std::get_if<ModuleValues>(&body)) {
    modules.arrived(*values);
  } else if (const auto* owners = std::get_if<Owners>(&body)) {
    modules.note(owners->owners);
  } else if (const auto* fetch = std::get_if<FetchFailed>(&body)) {
    modules.failed(*fetch);
  } else if (auto* fetched = std::get_if<PathState>(&body)) {
    state.arrived(std::move(fetched->state));
  } else if (const auto* documents = std::get_if<ShardDocuments>(&body)) {
    shards.arrived(*documents);
  } else {
    return false;
  }
  return true;
}

void Supplies::lost(NodeId node) {
  modules.lost(node);
  state.lost(node);
}

bool Supplies::here(const Needs& needs) const {
  return state.here() && modules.complete(needs.base) && (!needs.phase || shards.has(*needs.phase, needs.path));
}

bool Supplies::unasked(const Needs& needs) const {
  return state.unasked() || modules.unasked(needs.base) || (needs.phase && shards.unasked(*needs.phase, needs.path));
}

void Supplies::request(const Needs& needs) {
  modules.request(needs.base, needs.evaluates);
  if (needs.phase) shards.request(*needs.phase, needs.path);
  state.request();
}

void Supplies::gather(const Needs& needs, const Waiting& waiting) {
  Asking asking(clock_, liveness_);
  while (!waiting.over() && !here(needs)) {
    if (asking.due(unasked(needs))) request(needs);
    if (!here(needs)) waiting.receive_one(asking.wait(unasked(needs)));
  }
}

}  // namespace dipaco
