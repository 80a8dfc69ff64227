#include "core/roles/gradient_making.hpp"

#include <optional>
#include <utility>

#include "core/roles/task_work.hpp"
#include "core/state/finite.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

/// Waits until the task's modules, its path's state and its shard are there; false if that is over before.
bool gather_for_step(const RunPlan& plan, const GradientMaking& making) {
  const auto& [path, outer_step] = making.request.task;
  Supplies& supplies = making.supplies;
  supplies.state.want(FetchPathState{.path = path, .version = version_after(outer_step), .moments = true},
                      making.request.store);
  supplies.modules.drop_before(making.request.base, outer_step);
  supplies.gather({path, making.request.base, plan.timetable.phase_of(outer_step)}, making.waiting);
  return !making.waiting.over();
}

/// The state that the task began with, as far as its gradient depends on it.
PathStateBody state_before(const RunPlan& plan, PathStateBody after) {
  after.parameters = std::move(after.specific_before);
  after.inner_steps_total -= plan.config.inner.steps;
  return after;
}

void record_remaking(Seams seams, EventKind kind, const TaskId& task) {
  seams.log.record({.time = seams.compute.now(),
                    .kind = kind,
                    .node = seams.transport.self(),
                    .path = task.path,
                    .outer_step = task.outer_step});
}

}  // namespace

void make_gradients(const RunPlan& plan, Seams seams, const GradientMaking& making) {
  if (!gather_for_step(plan, making)) return;
  const MakeGradients& request = making.request;
  record_remaking(seams, EventKind::remaking_started, request.task);
  const Task task{
      .id = request.task, .inner_steps = static_cast<std::int32_t>(plan.config.inner.steps), .base = request.base};
  TaskWork work(plan, seams.archive, {task, state_before(plan, making.supplies.state.take())}, making.supplies);
  work.run(seams.compute, std::nullopt);
  if (!work.whole()) return;  // a notice came first
  record_remaking(seams, EventKind::remaking_done, request.task);
  const Values given = work.give_again();
  GradientsMade made{.task = request.task, .finite = all_finite(floats_of(given))};
  for (const ModuleId module : request.modules) {
    const BaseVersion part{module, version_in(request.base, module)};
    if (made.finite) made.sent_to.push_back(making.sent.send(task, part, given, making.supplies.modules));
  }
  seams.transport.send(kCoordinator, make_message(std::move(made)));
}

}  // namespace dipaco
