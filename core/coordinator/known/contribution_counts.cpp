#include "core/coordinator/known/contribution_counts.hpp"

#include "core/plan/giving.hpp"
#include "core/plan/regions.hpp"

namespace dipaco {

ContributionCounts count_contributions(const RunState& run) {
  ContributionCounts counts;
  for (const auto& [module, known] : run.ledger.state().modules) {
    counts.dropped += std::ssize(known.dropped);
    for (const auto& [path, outer_step] : known.settled) {
      if (is_path(run.plan, path)) counts.settled += times_given(run.plan, path, outer_step);
    }
  }
  for (std::int32_t p = 0; p < run.plan.topology.paths(); ++p) {
    const PathId path{p};
    const std::int32_t times = times_given(run.plan, path, OuterStep{run.queue.path(path).version});
    counts.given += times * std::ssize(run.queue.modules().newest(path));
  }
  return counts;
}

}  // namespace dipaco
