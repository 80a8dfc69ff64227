#include "core/runtime/worker.hpp"

#include <numeric>

#include "core/base/error.hpp"
#include "core/outer/outer_gradient.hpp"
#include "core/runtime/deadlines.hpp"
#include "core/runtime/node.hpp"
#include "core/runtime/path_values.hpp"

namespace dipaco {

struct Worker::Job {
  TrainState before;  ///< inputs; empty where nothing is learned
  TrainState after;   ///< what the last call of the work made
  InnerReport report;
  std::vector<float> specific;  ///< path-specific parameters at the task's start
};

Worker::Worker(const RunPlan& plan, Seams seams, const NodeSelf& self)
    : plan_(plan), seams_(seams), self_(self), modules_(plan, seams.transport) {}

void Worker::run() {
  say_hello(plan_, seams_, self_);
  while (!finished_) {
    receive_one(Seconds(-1));
    if (const auto task = std::exchange(task_, std::nullopt)) train(*task);
    if (const auto request = std::exchange(evaluate_, std::nullopt)) evaluate(*request);
  }
}

bool Worker::receive_one(Seconds timeout) {
  auto incoming = seams_.transport.receive(timeout);
  if (!incoming) return false;
  // A lost executor or store is the coordinator's to mend; what this worker waits for it asks for again.
  if (auto* envelope = std::get_if<Envelope>(&*incoming)) handle(envelope->from, std::move(envelope->message));
  return true;
}

void Worker::handle(NodeId /*from*/, Message message) {
  if (auto* task = std::get_if<Task>(&message.body)) {
    task_ = std::move(*task);
  } else if (auto* values = std::get_if<ModuleValues>(&message.body)) {
    modules_.arrived(*values);
  } else if (auto* state = std::get_if<PathState>(&message.body)) {
    fetched_ = std::move(state->state);
  } else if (auto* stored = std::get_if<Stored>(&message.body)) {
    stored_ = *stored;
  } else if (auto* request = std::get_if<Evaluate>(&message.body)) {
    evaluate_ = std::move(*request);
  } else if (std::holds_alternative<Finish>(message.body)) {
    finished_ = true;
  }
}

void Worker::train(const Task& task) {
  if (seams_.compute.leaving()) {
    seams_.transport.send(kCoordinator, make_message(TaskDone{.id = task.id, .epoch = task.epoch, .leaving = true}));
    return;
  }
  modules_.drop_below(task.id.outer_step);
  modules_.request(task.id.path, task.id.outer_step, task.executors);
  const PathStateBody state = gather_state(task);
  const Seconds patience = answer_deadline(plan_.config.liveness, Bytes{4 * plan_.charged.size});
  while (!finished_ && !modules_.complete(task.id.path, task.id.outer_step)) {
    if (!receive_one(patience)) modules_.request_again(task.id.path, task.id.outer_step, task.executors);
  }
  if (finished_) return;
  const auto job = gather(task, state);
  record(EventKind::task_started, task);
  const InnerSteps done = compute(task, job);
  record(EventKind::task_computed, task, done.value, job->report.loss_sum);
  const bool whole = task.first_inner_step + done.value == plan_.config.inner.steps;
  const PathStateBody after = whole ? finished_state(task, state, *job) : partial_state(task, state, *job, done);
  const bool accepted = put(task, after);
  if (accepted) record(whole ? EventKind::task_committed : EventKind::task_handed_back, task, done.value);
  if (accepted && whole) {
    last_ = after;
    send_outer_gradients(task, after);
  }
  if (finished_) return;
  seams_.transport.send(kCoordinator, make_message(TaskDone{.id = task.id,
                                                            .epoch = task.epoch,
                                                            .inner_steps = static_cast<std::int32_t>(done.value),
                                                            .committed = accepted && whole,
                                                            .leaving = seams_.compute.leaving()}));
}

PathStateBody Worker::gather_state(const Task& task) {
  if (task.from_store == NodeId{-1}) return start_state(plan_, task.id.path);
  if (last_ && last_->path == task.id.path && last_->version == task.id.outer_step && task.first_inner_step == 0) {
    return *last_;
  }
  last_.reset();
  fetched_.reset();
  const auto fetch = [&] {
    seams_.transport.send(task.from_store,
                          make_message(FetchPathState{task.id.path, task.id.outer_step, task.first_inner_step, true}));
  };
  fetch();
  const Seconds patience = answer_deadline(plan_.config.liveness, Bytes{12 * plan_.charged.size});
  const auto came = [&] {
    return fetched_ && fetched_->path == task.id.path && fetched_->version == task.id.outer_step &&
           fetched_->inner_steps == task.first_inner_step;
  };
  while (!finished_ && !came()) {
    if (!receive_one(patience)) fetch();
  }
  return finished_ ? PathStateBody{} : *std::exchange(fetched_, std::nullopt);
}

std::shared_ptr<Worker::Job> Worker::gather(const Task& task, const PathStateBody& state) {
  auto job = std::make_shared<Job>();
  if (plan_.learner == nullptr) return job;
  const auto parameters = floats_of(state.parameters);
  job->before.parameters.assign(parameters.begin(), parameters.end());
  job->before.first_moment.assign(state.first_moment.data->begin(), state.first_moment.data->end());
  job->before.second_moment.assign(state.second_moment.data->begin(), state.second_moment.data->end());
  job->before.step = InnerSteps{state.inner_steps_total};
  if (task.first_inner_step > 0) {
    job->specific.assign(state.specific_before.data->begin(), state.specific_before.data->end());
    return job;  // in the middle of a task all parameters come from its state
  }
  job->specific = specific_part(plan_, task.id.path, parameters);
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(task.id.path, l);
    if (plan_.topology.path_specific(module)) continue;
    const auto values = floats_of(modules_.get(module, task.id.outer_step));
    std::copy(values.begin(), values.end(), plan_.layout.part(std::span<float>(job->before.parameters), l).begin());
  }
  return job;
}

InnerSteps Worker::compute(const Task& task, const std::shared_ptr<Job>& job) {
  const Learner* const learner = plan_.learner.get();
  const PathId path = task.id.path;
  const Work work = [learner, job, path](InnerSteps limit, const std::atomic<bool>& stop) {
    if (learner == nullptr) return limit;
    job->after = job->before;
    job->report = learner->inner_steps(path, job->after, limit, stop);
    return job->report.done;
  };
  return seams_.compute.run(InnerSteps{plan_.config.inner.steps - task.first_inner_step}, plan_.inner_step_cost, work);
}

PathStateBody Worker::finished_state(const Task& task, const PathStateBody& state, Job& job) const {
  PathStateBody after{.path = task.id.path, .version = task.id.outer_step + 1};
  after.loss_sum = state.loss_sum * (task.first_inner_step > 0 ? 1.0 : 0.0) + job.report.loss_sum;
  after.inner_steps_total = job.after.step.value;
  const bool learned = plan_.learner != nullptr;
  std::vector<float> velocity;
  std::size_t offset = 0;
  if (learned) velocity = *state.velocity.data;
  for (std::int32_t l = 0; learned && l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(task.id.path, l);
    if (!plan_.topology.path_specific(module)) continue;
    const auto part = plan_.layout.part(std::span<float>(job.after.parameters), l);
    const std::span<float> before = std::span(job.specific).subspan(offset, part.size());
    OuterAccumulator mean(part.size());
    mean.add(outer_gradient(before, part), 1.0, text(task.id.path) + " in " + text(module));
    step_module(plan_, before, std::span(velocity).subspan(offset, part.size()), mean.mean(1.0));
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

PathStateBody Worker::partial_state(const Task& task, const PathStateBody& state, Job& job, InnerSteps done) const {
  const bool learned = plan_.learner != nullptr;
  if (done.value == 0) job.after = job.before;
  PathStateBody part{.path = task.id.path, .version = task.id.outer_step};
  part.inner_steps = task.first_inner_step + static_cast<std::int32_t>(done.value);
  part.inner_steps_total = job.after.step.value;
  part.loss_sum = (task.first_inner_step > 0 ? state.loss_sum : 0.0) + job.report.loss_sum;
  part.parameters = make_values(std::move(job.after.parameters), plan_.charged.size, learned);
  part.first_moment = make_values(std::move(job.after.first_moment), plan_.charged.size, learned);
  part.second_moment = make_values(std::move(job.after.second_moment), plan_.charged.size, learned);
  part.velocity = state.velocity;
  part.specific_before = make_values(std::move(job.specific), state.velocity.charged, learned);
  return part;
}

bool Worker::put(const Task& task, const PathStateBody& state) {
  if (state.inner_steps == 0 && state.version == task.id.outer_step) return false;  // nothing done: nothing to keep
  stored_.reset();
  const auto send = [&] { seams_.transport.send(task.to_store, make_message(PutPathState{task.epoch, state})); };
  send();
  const Seconds patience = answer_deadline(plan_.config.liveness, Bytes{16 * plan_.charged.size});
  const auto came = [&] {
    return stored_ && stored_->path == state.path && stored_->version == state.version &&
           stored_->inner_steps == state.inner_steps;
  };
  while (!finished_ && !came()) {
    if (!receive_one(patience)) send();
  }
  return stored_ && came() && stored_->accepted;
}

void Worker::send_outer_gradients(const Task& task, const PathStateBody& after) {
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(task.id.path, l);
    if (plan_.topology.path_specific(module)) continue;
    const std::uint64_t charged = plan_.charged.levels[static_cast<std::size_t>(l)].size;
    Values difference{nullptr, charged};
    if (plan_.learner != nullptr) {
      difference = make_values(outer_gradient(floats_of(modules_.get(module, task.id.outer_step)),
                                              plan_.layout.part(floats_of(after.parameters), l)),
                               charged, true);
    }
    seams_.transport.send(task.executors[static_cast<std::size_t>(l)],
                          make_message(OuterGradient{module, task.id, std::move(difference)}));
    // The last version is pushed to nobody: there is no task that needs it.
    if (task.id.outer_step + 1 < plan_.config.outer.steps) modules_.expect(module, task.id.outer_step + 1);
  }
}

void Worker::evaluate(const Evaluate& request) {
  evaluate_path(plan_, seams_, request,
                {modules_, fetched_, finished_, [this](Seconds timeout) { return receive_one(timeout); }});
}

void Worker::record(EventKind kind, const Task& task, std::int64_t inner_steps, double loss_sum) const {
  seams_.log.record({.time = seams_.compute.now(),
                     .kind = kind,
                     .attempt = static_cast<std::int16_t>(task.epoch),
                     .node = seams_.transport.self(),
                     .path = task.id.path,
                     .outer_step = task.id.outer_step,
                     .inner_steps = static_cast<std::int32_t>(inner_steps),
                     .value = loss_sum});
}

void run_worker(const RunPlan& plan, Seams seams, const NodeSelf& self) { Worker(plan, seams, self).run(); }

}  // namespace dipaco
