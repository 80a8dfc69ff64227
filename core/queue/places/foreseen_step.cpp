#include "core/queue/places/foreseen_step.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace dipaco {
namespace {

/// A site's workers, and what it does.
struct Site {
  using Worker = std::pair<Seconds, Seconds>;  // when its next task would end, and what one takes
  std::priority_queue<Worker, std::vector<Worker>, std::greater<>> workers;
  std::int64_t tasks = 0;
};

}  // namespace

ForeseenStep foresee_step(const Fleet& fleet, const ExchangeTimes& exchange, std::int32_t paths) {
  std::map<SiteId, Site> sites;
  for (const auto& [node, worker] : fleet.workers()) {
    const Seconds task = task_time(fleet, worker, fleet.cost().lengths.whole());
    sites[worker.site].workers.emplace(task, task);
  }
  const auto done_at = [&](SiteId id, const Site& site) {
    return site.workers.top().first + exchange.after(id, site.tasks + 1, true);
  };
  using Offer = std::pair<Seconds, SiteId>;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers;
  for (const auto& [id, site] : sites) offers.emplace(done_at(id, site), id);
  Seconds end{};
  for (std::int32_t p = 0; p < paths; ++p) {
    const auto [done, id] = offers.top();
    offers.pop();
    end = std::max(end, done);
    Site& site = sites.at(id);
    const auto [its_end, task] = site.workers.top();
    site.workers.pop();
    site.workers.emplace(its_end + task, task);
    ++site.tasks;
    offers.emplace(done_at(id, site), id);
  }
  ExchangeTimes::TasksAt tasks;
  for (const auto& [id, site] : sites) tasks[id] = site.tasks;
  return {std::max(end, exchange.at_owners(tasks)), tasks};
}

}  // namespace dipaco
