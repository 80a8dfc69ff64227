#include "core/report/attempts/contribution_totals.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace dipaco {
namespace {

bool ends_contribution(EventKind kind) {
  return kind == EventKind::contribution_applied || kind == EventKind::contribution_dropped;
}

/// What is said of a contribution last, and when it first came.
struct End {
  const Event* last = nullptr;
  Seconds came{};
};

using Ends = std::map<std::tuple<OuterStep, PathId, ModuleId>, End>;

Ends ends_of_contributions(const std::vector<Event>& events) {
  Ends ends;
  for (const Event& event : events) {
    if (!ends_contribution(event.kind)) continue;
    End& end = ends[{event.outer_step, event.path, event.module}];
    end.came = end.last == nullptr ? event.begin : std::min(end.came, event.begin);
    if (end.last == nullptr || end.last->time <= event.time) end.last = &event;
  }
  return ends;
}

ContributionTotals total_of(const End& what) {
  const Event& end = *what.last;
  if (end.kind == EventKind::contribution_dropped) return {.dropped = 1};
  const auto staleness = static_cast<std::int64_t>(std::llround(end.value));
  return {.applied = 1,
          .staleness_sum = staleness,
          .most_stale = staleness,
          .waited = std::max(end.time - what.came, Seconds(0)),
          .last_applied = end.time};
}

Seconds later(Seconds a, Seconds b) { return happened(a) && b < a ? a : b; }

}  // namespace

ContributionTotals& ContributionTotals::operator+=(const ContributionTotals& other) {
  applied += other.applied;
  dropped += other.dropped;
  staleness_sum += other.staleness_sum;
  most_stale = std::max(most_stale, other.most_stale);
  waited += other.waited;
  if (happened(other.last_applied)) last_applied = later(last_applied, other.last_applied);
  return *this;
}

double ContributionTotals::mean_staleness() const {
  return applied > 0 ? static_cast<double>(staleness_sum) / static_cast<double>(applied) : kNever.count();
}

Seconds ContributionTotals::mean_wait() const { return applied > 0 ? waited / static_cast<double>(applied) : kNever; }

std::map<OuterStep, ContributionTotals> contribution_totals(const std::vector<Event>& events) {
  std::map<OuterStep, ContributionTotals> totals;
  for (const auto& [what, end] : ends_of_contributions(events)) totals[std::get<OuterStep>(what)] += total_of(end);
  return totals;
}

std::map<PathId, ContributionTotals> starved_paths(const std::vector<Event>& events) {
  std::map<PathId, ContributionTotals> totals;
  for (const auto& [what, end] : ends_of_contributions(events)) totals[std::get<PathId>(what)] += total_of(end);
  std::erase_if(totals, [](const auto& path) { return path.second.dropped <= path.second.applied; });
  return totals;
}

}  // namespace dipaco
