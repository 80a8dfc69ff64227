#include "core/coordinator/known/contribution_counts.hpp"

namespace dipaco {

ContributionCounts count_contributions(const RunState& run) {
  ContributionCounts counts;
  const Timetable& timetable = run.plan.timetable;
  for (const auto& [module, known] : run.ledger.state().modules) {
    counts.dropped += std::ssize(known.dropped);
    for (const auto& [path, outer_step] : known.settled) counts.settled += timetable.tasks_before(path, outer_step);
  }
  for (std::int32_t p = 0; p < run.plan.topology.paths(); ++p) {
    const PathId path{p};
    const std::int32_t tasks = timetable.tasks_before(path, OuterStep{run.queue.path(path).version});
    counts.given += tasks * std::ssize(run.queue.modules().newest(path));
  }
  return counts;
}

}  // namespace dipaco
