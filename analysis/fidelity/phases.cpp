#include "analysis/fidelity/phases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "core/base/error.hpp"

namespace dipaco::analysis {
namespace {

/// The last commit of each outer step.
std::map<std::int64_t, double> last_commits(const Run& run) {
  std::map<std::int64_t, double> last;
  for (const TaskRow& task : run.tasks) {
    if (task.end != "committed" || !task.ended) continue;
    const auto [place, first] = last.emplace(task.outer_step, *task.ended);
    if (!first) place->second = std::max(place->second, *task.ended);
  }
  return last;
}

double mean_outer_step(const Run& run) {
  const auto last = last_commits(run);
  double sum = 0;
  int count = 0;
  for (const OuterStepRow& row : run.outer_steps) {
    const auto commit = last.find(row.outer_step);
    if (!row.end || commit == last.end()) continue;
    sum += std::max(*row.end - commit->second, 0.0);  // without rounds the last commit's contribution may be dropped
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

}  // namespace

Phases phases_of(const Run& run) {
  const auto duration = run.duration();
  if (!duration || run.text("finished") == "false") {
    throw DataError(run.folder + "/summary.json: the run has not finished; run it to its end");
  }
  Phases phases{.duration = *duration};
  int tasks = 0;
  for (const TaskRow& task : run.tasks) {
    if (task.end != "committed" || !task.assigned || !task.started || !task.computed || !task.ended) continue;
    phases.fetch += *task.started - *task.assigned;
    phases.compute += *task.computed - *task.started;
    phases.upload += *task.ended - *task.computed;
    ++tasks;
  }
  if (tasks == 0) throw DataError(run.folder + "/tasks.csv: no task was committed; let the run write it again");
  for (double* const sum : {&phases.fetch, &phases.compute, &phases.upload}) *sum /= tasks;
  phases.outer_step = mean_outer_step(run);
  return phases;
}

Phases middle_of(std::vector<Phases> runs) {
  check(!runs.empty(), "a median is of something");
  const auto middle = runs.begin() + (std::ssize(runs) - 1) / 2;
  std::ranges::nth_element(runs, middle, {}, &Phases::duration);
  return *middle;
}

}  // namespace dipaco::analysis
