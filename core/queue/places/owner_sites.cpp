#include "core/queue/places/owner_sites.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <utility>

#include "core/queue/places/foreseen_step.hpp"
#include "core/queue/speeds.hpp"

namespace dipaco {
namespace {

/// So many sites may own modules, where not all do.
constexpr std::size_t kTried = 16;

/// Modules go to the executors of these sites in turn; without any, nobody owns them.
void own(ExchangeTimes& exchange, const std::vector<SiteId>& executors, const std::set<SiteId>& sites) {
  std::vector<SiteId> chosen;
  std::ranges::copy_if(executors, std::back_inserter(chosen), [&](SiteId site) { return sites.contains(site); });
  std::size_t next = 0;
  for (const ModuleId module : exchange.modules()) {
    exchange.owned_at(module, chosen.empty() ? kNowhere : chosen[next++ % chosen.size()]);
  }
}

/// The sites with executors, those with the fastest lines first: by what a byte takes from all workers' sites and back,
/// each counted as often as it has tasks.
std::vector<SiteId> fastest_first(const ExchangeTimes& exchange, const ExchangeTimes::TasksAt& tasks,
                                  const std::set<SiteId>& sites) {
  std::vector<std::pair<double, SiteId>> by_lines;
  for (const SiteId site : sites) {
    double takes = 0;
    for (const auto& [other, count] : tasks) {
      if (other == site) continue;
      const double there_and_back = exchange.way(other, site).value_or(0) + exchange.way(site, other).value_or(0);
      takes += static_cast<double>(count) * there_and_back;
    }
    by_lines.emplace_back(takes, site);
  }
  std::ranges::sort(by_lines);
  std::vector<SiteId> order;
  for (const auto& [takes, site] : by_lines) order.push_back(site);
  return order;
}

/// The sites of `all`, or fewer of them. REQUIRES that lines are known, and workers' speeds.
std::set<SiteId> best_of(const std::set<SiteId>& all, const Fleet& fleet, ExchangeTimes& exchange,
                         const std::vector<SiteId>& executors, std::int32_t paths) {
  const auto ends_with = [&](const std::set<SiteId>& sites) {
    own(exchange, executors, sites);
    return foresee_step(fleet, exchange, paths).end;
  };
  const Seconds enough = (1 - Speeds::kSame) * ends_with(all);
  if (ends_with({}) >= enough) return all;
  std::vector<SiteId> tried = fastest_first(exchange, fleet.sites().split(paths), all);
  tried.resize(std::min(tried.size(), kTried));
  struct Choice {
    Seconds end{std::numeric_limits<double>::infinity()};
    std::set<SiteId> sites;
  } chosen;
  for (bool better = true; better;) {
    better = false;
    for (const auto before = chosen.sites; const SiteId site : tried) {
      std::set<SiteId> with_it = before;
      if (!with_it.insert(site).second) continue;
      const Seconds end = ends_with(with_it);
      if (end >= chosen.end) continue;
      chosen = {end, std::move(with_it)};
      better = true;
    }
  }
  return chosen.end < enough ? chosen.sites : all;
}

}  // namespace

OwnerSites owner_sites(const Fleet& fleet, ExchangeTimes exchange, const std::vector<SiteId>& executors,
                       std::int32_t paths) {
  OwnerSites chosen{.sites = {executors.begin(), executors.end()}};
  if (!fleet.sites().any_known()) {
    for (const auto& [node, worker] : fleet.workers()) ++chosen.tasks[worker.site];
    return chosen;
  }
  if (chosen.sites.size() > 1 && exchange.knows_lines()) {
    chosen.sites = best_of(chosen.sites, fleet, exchange, executors, paths);
  }
  own(exchange, executors, chosen.sites);
  chosen.tasks = foresee_step(fleet, exchange, paths).tasks;
  return chosen;
}

}  // namespace dipaco
