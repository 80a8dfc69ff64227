#include "core/plan/giving.hpp"

#include "core/base/random.hpp"

namespace dipaco {
namespace {

bool dropped(const RunPlan& plan, PathId path, OuterStep outer_step) {
  const double drop = plan.config.outer.drop;
  if (drop == 0) return false;
  const auto step = static_cast<std::uint64_t>(number(outer_step));
  return draw_uniform(plan.config.run.seed, Draw::dropped_task, step, static_cast<std::uint64_t>(index(path))) < drop;
}

}  // namespace

bool gives(const RunPlan& plan, PathId path, OuterStep outer_step) {
  return plan.timetable.trains(path, outer_step) && !dropped(plan, path, outer_step);
}

OuterStep next_given(const RunPlan& plan, PathId path, OuterStep outer_step) {
  OuterStep step = plan.timetable.next_trained(path, outer_step);
  while (number(step) < plan.timetable.end() && dropped(plan, path, step)) {
    step = plan.timetable.next_trained(path, next(step));
  }
  return step;
}

OuterStep given_before(const RunPlan& plan, PathId path, std::int32_t version) {
  while (version > 0 && !gives(plan, path, OuterStep{version - 1})) {
    version = plan.timetable.state_version(path, version - 1);
  }
  return OuterStep{version};
}

bool trains_on(const RunPlan& plan, PathId path, OuterStep outer_step) {
  if (outer_step == OuterStep{0}) return false;
  const OuterStep before{number(outer_step) - 1};
  return plan.timetable.trains(path, before) && dropped(plan, path, before);
}

bool needs_modules(const RunPlan& plan, const TaskId& task) {
  if (!plan.policy.rounds) return true;
  return gives(plan, task.path, task.outer_step) || !trains_on(plan, task.path, task.outer_step);
}

Version base_of(const RunPlan& plan, PathId path, OuterStep outer_step) {
  if (gives(plan, path, outer_step)) return Version{number(outer_step)};
  OuterStep begun = outer_step;
  while (trains_on(plan, path, begun)) begun = OuterStep{number(begun) - 1};
  return Version{number(begun)};
}

std::int32_t times_given(const RunPlan& plan, PathId path, OuterStep outer_step) {
  if (plan.config.outer.drop == 0) return plan.timetable.tasks_before(path, outer_step);
  std::int32_t times = 0;
  for (OuterStep step{0}; step < outer_step; step = next(step)) times += gives(plan, path, step) ? 1 : 0;
  return times;
}

bool is_base(const RunPlan& plan, PathId path, Version version, Version newest) {
  const OuterStep step{number(version)};
  if (!plan.timetable.trains(path, step) || gives(plan, path, step) || trains_on(plan, path, step)) return false;
  return number(next_given(plan, path, step)) >= number(newest);
}

}  // namespace dipaco
