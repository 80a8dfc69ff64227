#include "core/coordinator/known/owner_places.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "core/queue/places/owner_sites.hpp"
#include "core/queue/places/path_homes.hpp"

namespace dipaco {
namespace {

ExchangeTimes::TasksAt workers_by_site(const Members& members) {
  ExchangeTimes::TasksAt workers;
  for (const NodeId node : members.with(Role::worker)) ++workers[members.at(node).site];
  return workers;
}

}  // namespace

std::set<SiteId> OwnerPlaces::chosen_before() const {
  std::set<SiteId> sites;
  for (const auto& [module, owner] : run_.ledger.state().owners) {
    const auto place = run_.ledger.state().places.find(owner.executor);
    if (owner.epoch == 1 && place != run_.ledger.state().places.end()) sites.insert(place->second.site);
  }
  return sites;
}

void OwnerPlaces::choose() {
  sites_.emplace();
  if (run_.plan.config.run.place == "spread") return;
  const std::set<SiteId> before = chosen_before();
  std::set<SiteId> all;
  std::vector<SiteId> executors;
  for (const NodeId node : run_.members.with(Role::executor)) {
    const SiteId site = run_.members.at(node).site;
    all.insert(site);
    if (before.empty() || before.contains(site)) executors.push_back(site);
  }
  if (run_.plan.policy.merge) return choose_homes(workers_by_site(run_.members));  // regions keep together
  Reserve& reserve = run_.queue.dispatch().reserve();
  ExchangeTimes exchange = reserve.ways().exchange();
  // Where nobody waits, workers far from owners take their part of the tasks, whatever the lines are.
  if (!run_.plan.schedule->lets_wait()) exchange.known_are(nullptr);
  const OwnerSites best =
      owner_sites(reserve.fleet(), std::move(exchange), executors, run_.plan.timetable.most_trained_paths());
  const std::set<SiteId>& chosen = before.empty() ? best.sites : before;
  if (chosen != all) sites_ = chosen;
  if (run_.plan.policy.rounds) choose_homes(best.tasks);
}

void OwnerPlaces::choose_homes(const ExchangeTimes::TasksAt& tasks) {
  std::vector<std::uint64_t> sizes;
  for (const auto& level : run_.plan.charged.levels) sizes.push_back(level.size);
  auto [homes, order] = path_homes(run_.plan.topology, sizes, tasks);
  if (homes.empty()) return;
  run_.queue.dispatch().reserve().ways().planned_homes().homes_are(homes, order);
  for (std::size_t p = 0; p < homes.size(); ++p) {
    const SiteId site = run_.queue.path(PathId{static_cast<std::int32_t>(p)}).site;
    if (site != kNowhere) homes[p] = site;
  }
  choice_.near = paths_near(run_.plan.topology, homes);
  choice_.site_of = [this](NodeId executor) {
    const KnownNode* const member = run_.members.find(executor);
    return member == nullptr ? kNowhere : member->site;
  };
}

void OwnerPlaces::prefer() {
  const auto& workers = run_.queue.dispatch().reserve().fleet().workers();
  const bool may_choose = run_.members.count(Role::executor) > 0 && workers.begin() != workers.end();
  if (!sites_ && may_choose) choose();
  if (!sites_ || (sites_->empty() && choice_.near.empty())) return;
  std::set<NodeId> preferred;
  for (const NodeId node : run_.members.with(Role::executor)) {
    if (sites_->contains(run_.members.at(node).site)) preferred.insert(node);
  }
  if (told_ && preferred == choice_.preferred) return;
  choice_.preferred = std::move(preferred);
  run_.ownership.prefer(choice_);
  told_ = true;
}

void OwnerPlaces::note() const {
  for (const ModuleId module : run_.ownership.modules()) note(module);
}

void OwnerPlaces::note(ModuleId module) const {
  if (run_.plan.policy.merge) return;
  const LedgerState& journal = run_.ledger.state();
  NodeId owner = run_.ownership.owner(module).executor;
  if (const auto last = journal.owners.find(module); owner == NodeId{-1} && last != journal.owners.end()) {
    owner = last->second.executor;
  }
  const auto place = journal.places.find(owner);
  if (place == journal.places.end()) return;
  const bool stands_in = sites_ && !sites_->empty() && !sites_->contains(place->second.site);
  const bool gives_back = stands_in && run_.queue.modules().version(module) == Version{0};
  run_.queue.dispatch().reserve().ways().exchange().owned_at(module,
                                                             gives_back ? *sites_->begin() : place->second.site);
}

}  // namespace dipaco
