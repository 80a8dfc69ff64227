#include "core/roles/worker.hpp"

#include <utility>
#include <variant>

#include "core/plan/giving.hpp"
#include "core/roles/node.hpp"
#include "core/roles/supplies/asking.hpp"
#include "core/roles/task_work.hpp"

namespace dipaco {

Worker::Worker(const RunPlan& plan, Seams seams, const NodeSelf& self)
    : plan_(plan),
      seams_(seams),
      presence_(plan, seams, self, [this](Hello& hello) { say_what_is_in_hand(hello); }),
      supplies_(plan, seams.transport, seams.compute),
      gradients_(plan, seams.transport),
      jobs_(plan, seams, supplies_, gradients_),
      known_(plan),
      put_(seams.transport, seams.compute) {}

void Worker::run() {
  presence_.greet();
  while (!finished_) {
    if (tasks_.waits()) {
      train();
    } else if (jobs_.waits()) {
      do_next_job();
    } else if (noticed_ && !seams_.compute.gone_at()) {
      say_leaving(seams_);
      return;
    } else {
      receive_one(Seconds(-1));
    }
  }
}

void Worker::say_what_is_in_hand(Hello& hello) {
  jobs_.said_hello();
  supplies_.shards.forget_requests();
  const Task* const task = tasks_.present();
  if (task == nullptr) return;
  hello.task = task->id;
  hello.epoch = task->epoch;
}

/// @returns whether something came
bool Worker::receive_one(Seconds timeout) {
  auto incoming = presence_.receive(timeout);
  if (!incoming) return false;
  if (const auto* gone = std::get_if<PeerLost>(&*incoming)) {
    lost(gone->node);
  } else if (std::holds_alternative<Notice>(*incoming)) {
    noticed_ = true;
  } else {
    handle(std::move(std::get<Envelope>(*incoming).message));
  }
  return true;
}

void Worker::handle(Message message) {
  if (supplies_.take(message.body) || jobs_.take(message.body)) return;
  if (auto* task = std::get_if<Task>(&message.body)) {
    supplies_.modules.note(task->owners);
    if (!task->again || task->cache.store != NodeId{-1}) supplies_.modules.note(task->cache);
    tasks_.take(std::move(*task));
    if (tasks_.at_hand()) supplies_.state.kept_at(tasks_.present()->from_store);
  } else if (const auto* stored = std::get_if<Stored>(&message.body)) {
    put_.answered(*stored);
  } else if (const auto* doubted = std::get_if<GradientDoubted>(&message.body)) {
    is_to_send(doubted->task) ? gradients_.answer_later(*doubted) : gradients_.answer(*doubted);
  } else if (const auto* gone = std::get_if<GradientsLost>(&message.body)) {
    gradients_.lost(*gone);
    supplies_.modules.pass_by_cache(gone->module);
  } else if (std::holds_alternative<Goodbye>(message.body)) {
    finished_ = true;
  }
}

/// Whether it is at the task, and nobody has said that another attempt counts.
bool Worker::is_to_send(const TaskId& task) const {
  return tasks_.at_hand() && tasks_.present()->id == task && !tasks_.given_up();
}

/// What was under way to the node or asked of it is lost; it is sent or asked again in time, if it is still wanted.
void Worker::lost(NodeId node) {
  supplies_.lost(node);
  put_.lost(node);
  gradients_.lost(node);
}

void Worker::train() {
  const Task& task = tasks_.begin();
  if (seams_.compute.leaving()) return say_done(tasks_.end(), {}, false);
  auto before = gather_inputs(task);
  if (!before) {
    const Task given_up = tasks_.end();
    // The coordinator has given something else: it hears no more of this task.
    given_up.to_stores.empty() || noticed_ ? say_done(given_up, {}, false) : gradients_.answer_all();
    return;
  }
  TaskWork work(plan_, seams_.archive, {task, *std::move(before)}, supplies_);
  record(task, EventKind::task_started);
  const Seconds began = seams_.compute.now();
  const auto lasting = put_.lasting(work.part_shape());
  const InnerSteps done = work.run(seams_.compute, lasting ? std::optional(lasting->longest) : std::nullopt);
  const Computed computed{done, seams_.compute.now() - began};
  record(task, EventKind::task_computed, done, work.loss_sum());
  if (!work.whole() && (ended_by_mail() || !seams_.compute.leaving())) return stopped(computed);
  keep(task, work, computed);
}

/// Has the stores keep what the inner steps have made, where the notice leaves the time, and says what became of it.
void Worker::keep(const Task& task, TaskWork& work, const Computed& computed) {
  const PathStateBody after = work.take_state();
  bool accepted = false;
  if (too_late(after)) {
    record(task, EventKind::notice_too_short, computed.done);
  } else {
    accepted = put(task, after);
    if (accepted) record(task, work.whole() ? EventKind::task_committed : EventKind::task_handed_back, computed.done);
  }
  const bool committed = accepted && work.whole();
  if (committed) {
    known_.keep(after);
    gradients_.send(task, work.given(), supplies_.modules);
  }
  const Task ended = tasks_.end();
  if (!finished_) say_done(ended, computed, committed);
}

/// Whether this node is gone before the stores have the state, even if that is as fast as the fastest of the last puts.
bool Worker::too_late(const PathStateBody& state) const {
  const auto gone_at = seams_.compute.gone_at();
  const auto lasting = put_.lasting(state);
  return gone_at && lasting && seams_.compute.now() + lasting->shortest > *gone_at;
}

/// Takes in what has come. @returns whether it says that the task at hand does not count, or that the run is over
bool Worker::ended_by_mail() {
  while (!superseded() && receive_one(Seconds(0))) {
  }
  return superseded();
}

/// Mail has ended the inner steps: nobody wants what they have made.
void Worker::stopped(const Computed& computed) {
  const Task ended = tasks_.end();
  if (!finished_) say_done(ended, computed, false);
}

void Worker::say_done(const Task& task, const Computed& computed, bool committed) {
  gradients_.need_no_answer();
  seams_.transport.send(kCoordinator,
                        make_message(TaskDone{.id = task.id,
                                              .epoch = task.epoch,
                                              .inner_steps = static_cast<std::int32_t>(computed.done.value),
                                              .computing = computed.took.count(),
                                              .committed = committed,
                                              .leaving = seams_.compute.leaving(),
                                              .ways = presence_.take_ways()}));
}

/// Whether the run is over, or the coordinator, which counts the task at hand as lost, has said so or has given
/// something else.
bool Worker::superseded() const { return finished_ || tasks_.waits() || jobs_.waits() || tasks_.given_up(); }

/// Waits until the path's state, its modules and its shard are there. @returns that state; nullopt where it is over
/// before
std::optional<PathStateBody> Worker::gather_inputs(const Task& task) {
  const bool known = known_.knows(task);
  if (!known) known_.keep(std::nullopt);
  supplies_.state.want(known ? std::nullopt : std::optional(known_.of(task)), task.from_store);
  supplies_.modules.drop_before(task.base, task.id.outer_step);
  const Needs needs{task.id.path, needs_modules(plan_, task.id) ? task.base : Base{},
                    plan_.timetable.phase_of(task.id.outer_step)};
  supplies_.gather(needs,
                   {[this] { return superseded() || noticed_; }, [this](Seconds timeout) { receive_one(timeout); }});
  if (!supplies_.here(needs)) return std::nullopt;
  return known ? known_.get(task) : supplies_.state.take();
}

/// Puts the state to all of the task's stores; true once each has it. A store that is lost in the meantime gets it when
/// it is there again, unless the coordinator names others.
bool Worker::put(const Task& task, const PathStateBody& state) {
  if (state.inner_steps == 0 && state.version == number(task.id.outer_step))
    return false;  // nothing done: nothing to keep
  const auto& stores = task.to_stores;
  put_.begin(task.epoch, state);
  // The coordinator takes stores off the list that are away; with none left and none that has it, the attempt is void.
  Asking asking(seams_.compute, plan_.config.liveness);
  while (!superseded() && !put_.refused() && !put_.all_answered(stores)) {
    if (asking.due(put_.unsent(stores))) put_.send(stores);
    receive_one(asking.wait(put_.unsent(stores)));
  }
  put_.end();
  return !put_.refused() && !stores.empty() && put_.all_answered(stores);
}

void Worker::do_next_job() {
  jobs_.do_next({[this] { return finished_ || tasks_.waits(); }, [this](Seconds timeout) { receive_one(timeout); }});
  if (seams_.compute.leaving() && !finished_) say_leaving(seams_);
}

void Worker::record(const Task& task, EventKind kind, InnerSteps done, double loss_sum) const {
  seams_.log.record({.time = seams_.compute.now(),
                     .kind = kind,
                     .attempt = static_cast<std::int16_t>(task.epoch),
                     .node = seams_.transport.self(),
                     .path = task.id.path,
                     .outer_step = task.id.outer_step,
                     .inner_steps = static_cast<std::int32_t>(done.value),
                     .value = loss_sum});
}

void run_worker(const RunPlan& plan, Seams seams, const NodeSelf& self) { Worker(plan, seams, self).run(); }

}  // namespace dipaco
