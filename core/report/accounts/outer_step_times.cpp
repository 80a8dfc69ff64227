#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "core/report/accounts/account.hpp"

namespace dipaco {
namespace {

struct Sums {
  OuterStepTime row;
  double loss = 0;
  std::int64_t steps_with_loss = 0;
  double squared_norm = 0;
  Seconds last_module = kNever;
};

void keep_later(Seconds& latest, Seconds time) {
  if (!happened(latest) || latest < time) latest = time;
}

void add(Sums& sums, const Attempt& attempt) {
  OuterStepTime& row = sums.row;
  const Seconds begun = happened(attempt.queued) ? attempt.queued : attempt.assigned;
  if (happened(begun) && (!happened(row.begin) || begun < row.begin)) row.begin = begun;
  row.inner_steps += attempt.inner_steps;
  row.inner_steps_lost += attempt.inner_steps - attempt.useful_steps;
  row.tasks_requeued += is_requeued(attempt.end) ? 1 : 0;
  row.compute += attempt.computing;
  if (attempt.useful_steps > 0 && happened(attempt.computed)) {
    sums.loss += attempt.loss_sum;
    sums.steps_with_loss += attempt.useful_steps;
  }
  if (attempt.end != AttemptEnd::committed) return;
  ++row.tasks_committed;
  if (!happened(row.end) || row.end < attempt.ended) {
    row.end = attempt.ended;
    row.last_path = attempt.path;
    row.last_worker = attempt.worker;
  }
}

/// In rounds version t + 1 of a module is what outer step t makes.
void add_rounds(std::vector<Sums>& all, const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (event.kind != EventKind::module_stepped || event.version < 1) continue;
    const auto step = static_cast<std::size_t>(event.version) - 1;
    if (step >= all.size()) continue;
    keep_later(all[step].last_module, event.time);
    all[step].squared_norm += event.value * event.value;
  }
}

/// A mean loss of exactly 0 is no loss: nothing was learned. Neither is one that is not finite.
double mean_loss(const Sums& sums) {
  const double mean = sums.loss / static_cast<double>(sums.steps_with_loss);
  return sums.steps_with_loss > 0 && sums.loss != 0 && std::isfinite(mean) ? mean : kNever.count();
}

std::int32_t paths_at(const RunFacts& facts, OuterStep outer_step) {
  const auto step = static_cast<std::size_t>(outer_step);
  return step < facts.trained_paths.size() ? facts.trained_paths[step] : facts.paths;
}

}  // namespace

std::vector<OuterStepTime> outer_step_times(const RunFacts& facts, const Account& account,
                                            const std::vector<Event>& events) {
  std::vector<Sums> all;
  for (const Attempt& attempt : account.attempts) {
    const auto step = static_cast<std::size_t>(attempt.outer_step);
    if (step >= all.size()) all.resize(step + 1);
    all[step].row.outer_step = attempt.outer_step;
    add(all[step], attempt);
  }
  if (account.contributions.empty()) add_rounds(all, events);
  for (const auto& [outer_step, contributions] : account.contributions) {
    const auto step = static_cast<std::size_t>(outer_step);
    if (step < all.size()) all[step].last_module = contributions.last_applied;
  }
  std::vector<OuterStepTime> rows;
  for (Sums& sums : all) {
    OuterStepTime& row = sums.row;
    if (row.inner_steps == 0 && row.tasks_committed == 0 && !happened(row.begin)) continue;
    if (row.tasks_committed < paths_at(facts, row.outer_step)) {
      row.end = kNever;
    } else if (happened(sums.last_module)) {
      keep_later(row.end, sums.last_module);
    }
    row.loss = mean_loss(sums);
    if (sums.squared_norm > 0 && std::isfinite(sums.squared_norm))
      row.outer_gradient_norm = std::sqrt(sums.squared_norm);
    rows.push_back(row);
  }
  return rows;
}

double last_train_loss(const Account& account) {
  if (!account.lengths_differ) return account.outer_steps.empty() ? kNever.count() : account.outer_steps.back().loss;
  std::map<PathId, const Attempt*> last;
  for (const Attempt& attempt : account.attempts) {
    if (attempt.end == AttemptEnd::committed && happened(attempt.computed)) last[attempt.path] = &attempt;
  }
  Sums sums;
  for (const auto& [path, attempt] : last) {
    sums.loss += attempt->loss_sum;
    sums.steps_with_loss += attempt->inner_steps;
  }
  return mean_loss(sums);
}

}  // namespace dipaco
