#include "core/roles/contribution_events.hpp"

#include "core/plan/regions.hpp"

namespace dipaco {

void tell_applied(const RunPlan& plan, Seams& seams, ModuleId module, OwnedModule& mine, Version before) {
  const Seconds now = seams.compute.now();
  for (auto made = mine.unheard.upper_bound(before); made != mine.unheard.end(); ++made) {
    const auto& [version, update] = *made;
    for (const Applied& applied : update.applied) {
      if (!is_path(plan, applied.path)) continue;
      const auto came = mine.came_at.find(applied.path);
      seams.log.record({.time = now,
                        .kind = EventKind::contribution_applied,
                        .node = seams.transport.self(),
                        .path = applied.path,
                        .module = module,
                        .outer_step = applied.outer_step,
                        .version = number(version),
                        .begin = came == mine.came_at.end() ? now : came->second,
                        .value = static_cast<double>(number(version) - 1 - number(applied.base))});
    }
  }
  mine.came_at.clear();
}

void tell_dropped(Seams& seams, ModuleId module, Version newest, const ContributionView& contribution) {
  seams.log.record({.time = seams.compute.now(),
                    .kind = EventKind::contribution_dropped,
                    .node = seams.transport.self(),
                    .path = contribution.path,
                    .module = module,
                    .outer_step = contribution.outer_step,
                    .version = number(newest),
                    .value = static_cast<double>(number(newest) - number(contribution.base))});
}

}  // namespace dipaco
