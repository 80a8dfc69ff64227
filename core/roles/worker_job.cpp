#include <algorithm>
#include <limits>

#include "core/outer/outer_gradient.hpp"
#include "core/roles/worker.hpp"
#include "core/state/archive.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

std::shared_ptr<Worker::Job> Worker::make_job(const PathStateBody& state) {
  auto job = std::make_shared<Job>();
  job->shard = shards_.get(plan_.timetable.phase_of(task_.id.outer_step), task_.id.path);
  if (plan_.learner == nullptr) return job;
  const auto parameters = floats_of(state.parameters);
  job->before.parameters.assign(parameters.begin(), parameters.end());
  job->before.first_moment.assign(state.first_moment.data->begin(), state.first_moment.data->end());
  job->before.second_moment.assign(state.second_moment.data->begin(), state.second_moment.data->end());
  job->before.step = InnerSteps{state.inner_steps_total};
  if (task_.first_inner_step > 0) {
    job->specific.assign(state.specific_before.data->begin(), state.specific_before.data->end());
    return job;  // in the middle of a task all parameters come from its state
  }
  job->specific = specific_part(plan_, task_.id.path, parameters);
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(task_.id.path, l);
    if (plan_.topology.path_specific(module)) continue;
    const auto values = floats_of(modules_.get(module, version_in(task_.base, module)));
    std::copy(values.begin(), values.end(), plan_.layout.part(std::span<float>(job->before.parameters), l).begin());
  }
  return job;
}

InnerSteps Worker::compute(const std::shared_ptr<Job>& job) {
  const Learner* const learner = plan_.learner.get();
  const bool known = plan_.archive != nullptr && plan_.archive->past(attempt());
  const std::int32_t missed = task_.id.outer_step - plan_.timetable.tasks_before(task_.id.path, task_.id.outer_step);
  const InnerSteps sat_out{missed * plan_.config.inner.steps};
  const Work work = [learner, job, known, sat_out](InnerSteps limit, const std::atomic<bool>& stop) {
    if (learner == nullptr) return limit;
    job->after = job->before;
    if (!known) {
      job->report = learner->inner_steps(*job->shard, job->after, limit, sat_out, stop);
      return job->report.done;
    }
    job->after.step += limit;
    return limit;
  };
  const InnerSteps done =
      seams_.compute.run(InnerSteps{plan_.config.inner.steps - task_.first_inner_step}, plan_.inner_step_cost, work);
  if (known) job->report.done = done;
  if (done.value == 0) job->report = {};  // a notice may have come in the middle of work that does not count
  if (plan_.archive != nullptr) plan_.archive->settle(attempt(), task_.first_inner_step, job->report);
  return done;
}

PathStateBody Worker::finished_state(const PathStateBody& state, Job& job) const {
  PathStateBody after{.path = task_.id.path, .version = task_.id.outer_step + 1};
  after.loss_sum = state.loss_sum * (task_.first_inner_step > 0 ? 1.0 : 0.0) + job.report.loss_sum;
  after.inner_steps_total = job.after.step.value;
  const bool learned = plan_.learner != nullptr;
  std::vector<float> velocity;
  std::size_t offset = 0;
  if (learned) velocity = *state.velocity.data;
  for (std::int32_t l = 0; learned && l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(task_.id.path, l);
    if (!plan_.topology.path_specific(module)) continue;
    const auto part = plan_.layout.part(std::span<float>(job.after.parameters), l);
    const std::span<float> before = std::span(job.specific).subspan(offset, part.size());
    OuterAccumulator mean(part.size());
    // No outer step can be made of it: the stores refuse the state.
    if (!mean.try_add(path_gradient(plan_, before, part), 1.0)) {
      after.loss_sum = std::numeric_limits<double>::quiet_NaN();
      break;
    }
    const std::uint64_t factor = velocity_factor(plan_);
    step_module(plan_, Version{task_.id.outer_step}, before,
                std::span(velocity).subspan(factor * offset, factor * part.size()), mean.mean(1.0));
    std::copy(before.begin(), before.end(), part.begin());
    offset += part.size();
  }
  const std::uint64_t charged = plan_.charged.size;
  after.parameters = make_values(std::move(job.after.parameters), charged, learned);
  after.first_moment = make_values(std::move(job.after.first_moment), charged, learned);
  after.second_moment = make_values(std::move(job.after.second_moment), charged, learned);
  after.velocity = make_values(std::move(velocity), state.velocity.charged, learned);
  return after;
}

PathStateBody Worker::partial_state(const PathStateBody& state, Job& job, InnerSteps done) const {
  const bool learned = plan_.learner != nullptr;
  if (done.value == 0) job.after = job.before;
  PathStateBody part{.path = task_.id.path, .version = task_.id.outer_step};
  part.inner_steps = task_.first_inner_step + static_cast<std::int32_t>(done.value);
  part.inner_steps_total = job.after.step.value;
  part.loss_sum = (task_.first_inner_step > 0 ? state.loss_sum : 0.0) + job.report.loss_sum;
  part.parameters = make_values(std::move(job.after.parameters), plan_.charged.size, learned);
  part.first_moment = make_values(std::move(job.after.first_moment), plan_.charged.size, learned);
  part.second_moment = make_values(std::move(job.after.second_moment), plan_.charged.size, learned);
  part.velocity = state.velocity;
  part.specific_before =
      make_values(std::move(job.specific), specific_size(plan_.topology, plan_.charged, task_.id.path), learned);
  return part;
}

GradientValues Worker::gradient_of(const PathStateBody& after, std::int32_t level) const {
  if (plan_.learner == nullptr) return make_gradient(plan_, level, {}, {});
  const ModuleId module = plan_.topology.module(task_.id.path, level);
  return make_gradient(plan_, level, floats_of(modules_.get(module, version_in(task_.base, module))),
                       plan_.layout.part(floats_of(after.parameters), level));
}

void Worker::send_outer_gradients(const PathStateBody& after) {
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(task_.id.path, l);
    if (plan_.topology.path_specific(module)) continue;
    GradientValues difference = gradient_of(after, l);
    const NodeId executor = modules_.owner(module);
    const Version base = version_in(task_.base, module);
    const auto steps = static_cast<std::int32_t>(plan_.config.inner.steps);
    const GradientsLost lost{module, task_.id, NodeId{-1}, base, steps};
    std::erase_if(sent_, [&](const auto& sent) {
      return sent.second.module == module && sent.second.task.path == task_.id.path;
    });
    if (executor == NodeId{-1}) {
      seams_.transport.send(kCoordinator, make_message(lost));
      continue;
    }
    sent_.emplace_back(executor, lost);
    seams_.transport.send(executor, make_message(OuterGradient{module, task_.id, base, steps, std::move(difference)}));
    // The last version is pushed to nobody: there is no task that needs it.
    if (task_.id.outer_step + 1 < plan_.config.outer.steps) modules_.expect(module, next(base));
  }
}

}  // namespace dipaco
