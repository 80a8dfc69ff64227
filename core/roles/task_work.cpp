#include "core/roles/task_work.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "core/outer/outer_gradient.hpp"
#include "core/plan/giving.hpp"
#include "core/state/finite.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

TaskWork::TaskWork(const RunPlan& plan, Archive& archive, TaskStart start, const Supplies& supplies)
    : plan_(plan),
      archive_(archive),
      attempt_{start.task.id, start.task.epoch},
      first_inner_step_(start.task.first_inner_step),
      length_(start.task.inner_steps),
      before_(std::move(start.before)),
      job_(std::make_shared<Job>()) {
  const Task& task = start.task;
  job_->shard = supplies.shards.get(plan_.timetable.phase_of(task.id.outer_step), task.id.path);
  gather(task.base, supplies.modules);
}

void TaskWork::gather(const Base& base, const ModuleCache& modules) {
  const PathId path = attempt_.task.path;
  TrainState& state = job_->before;
  state.parameters = own_parameters(plan_, before_);
  if (!exchanges_gradients(plan_)) {
    state.first_moment = copy_of(before_.first_moment);
    state.second_moment = copy_of(before_.second_moment);
  }
  state.step = InnerSteps{before_.inner_steps_total};
  if (first_inner_step_ > 0) {
    job_->specific = copy_of(before_.specific_before);
    return;  // in the middle of a task all parameters come from its state
  }
  job_->specific = specific_part(plan_, path, state.parameters);
  if (plan_.policy.rounds && trains_on(plan_, path, attempt_.task.outer_step)) return;
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(path, l);
    if (plan_.topology.path_specific(module)) continue;
    const auto values = floats_of(modules.get(module, version_in(base, module)));
    std::copy(values.begin(), values.end(), plan_.layout.part(std::span<float>(state.parameters), l).begin());
  }
}

InnerSteps TaskWork::run(Compute& compute, std::optional<Seconds> reserve) {
  const auto [path, outer_step] = attempt_.task;
  const Learner* const learner = plan_.learner.get();
  const bool known = archive_.past(attempt_);
  const std::int32_t missed = number(outer_step) - plan_.timetable.tasks_before(path, outer_step);
  const InnerSteps sat_out{missed * plan_.config.inner.steps};
  const Work work = [learner, job = job_, known, sat_out](InnerSteps limit, const std::atomic<bool>& stop) {
    job->after = job->before;
    if (!known) {
      job->report = learner->inner_steps(job->shard, job->after, limit, sat_out, stop);
      return job->report.done;
    }
    job->after.step += limit;
    return limit;
  };
  done_ = compute.run(InnerSteps{length_ - first_inner_step_}, plan_.inner_step_cost, work, reserve);
  if (known) job_->report.done = done_;
  if (done_.value == 0) job_->report = {};  // a notice may have come in the middle of work that does not count
  archive_.settle(attempt_, first_inner_step_, job_->report);
  return done_;
}

bool TaskWork::whole() const { return first_inner_step_ + done_.value == length_; }

PathStateBody TaskWork::take_state() {
  PathStateBody after = whole() ? finished_state() : partial_state();
  if (whole() || after.inner_steps > 0) archive_.settle(attempt_, after, given_, job_->report);
  return after;
}

Values TaskWork::give_again() {
  Values given = make_values(std::move(job_->after.parameters), plan_.charged.size);
  archive_.recall(attempt_.task, given);
  return given;
}

PathStateBody TaskWork::finished_state() {
  PathStateBody after{.path = attempt_.task.path, .version = version_after(attempt_.task.outer_step)};
  after.loss_sum = before_.loss_sum * (first_inner_step_ > 0 ? 1.0 : 0.0) + job_->report.loss_sum;
  after.inner_steps_total = job_->after.step.value;
  std::vector<float> velocity = copy_of(before_.velocity);
  // The stores refuse the state: they do not see a gradient.
  const bool gradient = exchanges_gradients(plan_);
  const bool finite = !gradient || all_finite(job_->after.parameters);
  if (!step_specific(velocity) || !finite) after.loss_sum = std::numeric_limits<double>::quiet_NaN();
  after.velocity = make_values(std::move(velocity), before_.velocity.charged);
  given_ = make_values(std::move(job_->after.parameters), plan_.charged.size);
  keep_values(after);
  return after;
}

/// What the state has beside velocities. REQUIRES that path-specific modules are stepped.
void TaskWork::keep_values(PathStateBody& after) {
  if (exchanges_gradients(plan_)) {
    after.parameters = make_values(std::move(job_->specific), before_.parameters.charged);
    after.specific_before = before_.parameters;
    return;
  }
  after.parameters = given_;
  after.first_moment = make_values(std::move(job_->after.first_moment), plan_.charged.size);
  after.second_moment = make_values(std::move(job_->after.second_moment), plan_.charged.size);
}

bool TaskWork::step_specific(std::vector<float>& velocity) {
  std::size_t offset = 0;
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(attempt_.task.path, l);
    if (!plan_.topology.path_specific(module)) continue;
    const auto part = plan_.layout.part(std::span<float>(job_->after.parameters), l);
    const std::span<float> before = std::span(job_->specific).subspan(offset, part.size());
    OuterAccumulator mean(part.size());
    if (!mean.try_add(path_gradient(plan_, before, part), 1.0)) return false;
    const std::uint64_t factor = velocity_factor(plan_);
    step_module(plan_, module, {.version = Version{number(attempt_.task.outer_step)}}, before,
                std::span(velocity).subspan(factor * offset, factor * part.size()), mean.mean(1.0));
    std::copy(before.begin(), before.end(), part.begin());
    offset += part.size();
  }
  return true;
}

PathStateBody TaskWork::part_shape() const {
  const Values all{nullptr, plan_.charged.size};
  return {.path = attempt_.task.path,
          .version = number(attempt_.task.outer_step),
          .parameters = all,
          .first_moment = all,
          .second_moment = all,
          .velocity = {nullptr, before_.velocity.charged},
          .specific_before = {nullptr, specific_size(plan_.topology, plan_.charged, attempt_.task.path)}};
}

PathStateBody TaskWork::partial_state() {
  if (done_.value == 0) job_->after = job_->before;
  PathStateBody part{.path = attempt_.task.path, .version = number(attempt_.task.outer_step)};
  part.inner_steps = first_inner_step_ + static_cast<std::int32_t>(done_.value);
  part.inner_steps_total = job_->after.step.value;
  part.loss_sum = (first_inner_step_ > 0 ? before_.loss_sum : 0.0) + job_->report.loss_sum;
  part.parameters = make_values(std::move(job_->after.parameters), plan_.charged.size);
  part.first_moment = make_values(std::move(job_->after.first_moment), plan_.charged.size);
  part.second_moment = make_values(std::move(job_->after.second_moment), plan_.charged.size);
  part.velocity = before_.velocity;
  part.specific_before =
      make_values(std::move(job_->specific), specific_size(plan_.topology, plan_.charged, attempt_.task.path));
  return part;
}

}  // namespace dipaco
