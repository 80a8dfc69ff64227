#include "core/coordinator/known/owner_places.hpp"

#include <utility>
#include <vector>

#include "core/queue/owner_sites.hpp"

namespace dipaco {

std::set<SiteId> OwnerPlaces::choose() const {
  // Where nobody waits, workers far from owners take their part of the tasks all the same.
  if (run_.plan.config.run.place != "auto" || !run_.plan.schedule->lets_wait()) return {};
  std::vector<SiteId> executors;
  for (const NodeId node : run_.members.with(Role::executor)) executors.push_back(run_.members.at(node).site);
  Reserve& reserve = run_.queue.dispatch().reserve();
  std::set<SiteId> sites =
      owner_sites(reserve.fleet(), reserve.ways().exchange(), executors, run_.plan.timetable.most_trained_paths());
  return sites == std::set<SiteId>(executors.begin(), executors.end()) ? std::set<SiteId>{} : sites;
}

void OwnerPlaces::prefer() {
  const bool may_choose = run_.members.count(Role::executor) > 0 && run_.members.count(Role::worker) > 0;
  if (!sites_ && may_choose) sites_ = choose();
  if (!sites_ || sites_->empty()) return;
  std::set<NodeId> preferred;
  for (const NodeId node : run_.members.with(Role::executor)) {
    if (sites_->contains(run_.members.at(node).site)) preferred.insert(node);
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
