#include "core/coordinator/known/owner_places.hpp"

#include <utility>
#include <vector>

#include "core/queue/owner_sites.hpp"

namespace dipaco {

std::set<SiteId> OwnerPlaces::choose() const {
  std::vector<SiteId> executors;
  for (const NodeId node : run_.members.with(Role::executor)) executors.push_back(run_.members.at(node).site);
  if (run_.plan.config.run.place != "auto") return {executors.begin(), executors.end()};
  Reserve& reserve = run_.queue.dispatch().reserve();
  return owner_sites(reserve.fleet(), reserve.ways().exchange(), executors, run_.plan.topology.paths());
}

void OwnerPlaces::prefer() {
  if (sites_.empty()) sites_ = choose();
  std::set<NodeId> preferred;
  for (const NodeId node : run_.members.with(Role::executor)) {
    if (sites_.contains(run_.members.at(node).site)) preferred.insert(node);
  }
  run_.ownership.prefer(std::move(preferred));
}

void OwnerPlaces::note() const {
  if (!run_.plan.policy.rounds) return;
  ExchangeTimes& exchange = run_.queue.dispatch().reserve().ways().exchange();
  for (const ModuleId module : run_.ownership.modules()) {
    const KnownNode* const owner = run_.members.find(run_.ownership.owner(module).executor);
    exchange.owned_at(module, owner == nullptr ? kNowhere : owner->site);
  }
}

}  // namespace dipaco
