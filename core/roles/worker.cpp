#include "core/roles/worker.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/outer/outer_gradient.hpp"
#include "core/plan/deadlines.hpp"
#include "core/roles/node.hpp"
#include "core/state/archive.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

Worker::Worker(const RunPlan& plan, Seams seams, const NodeSelf& self)
    : plan_(plan),
      seams_(seams),
      presence_(plan, seams, self,
                [this](Hello& hello) {
                  // The coordinator that this is said to gives an evaluation that it had given before again.
                  evaluation_void_ = true;
                  next_job_.reset();
                  shards_.forget_requests();
                  hello.occupied = training_ || next_task_;
                  if (!training_ && !next_task_) return;
                  hello.task = training_ ? task_.id : next_task_->id;
                  hello.epoch = training_ ? task_.epoch : next_task_->epoch;
                }),
      modules_(plan, seams.transport),
      shards_(plan, seams.transport) {}

void Worker::run() {
  presence_.greet();
  while (!finished_) {
    if (next_task_) {
      train();
    } else if (next_job_) {
      do_next_job();
    } else if (noticed_) {
      say_leaving(seams_);
      return;
    } else {
      receive_one(Seconds(-1));
    }
  }
}

void Worker::receive_one(Seconds timeout) {
  auto incoming = presence_.receive(timeout);
  if (!incoming) return;
  if (const auto* gone = std::get_if<PeerLost>(&*incoming)) {
    lost(gone->node);
  } else if (std::holds_alternative<Notice>(*incoming)) {
    noticed_ = true;
  } else {
    handle(std::move(std::get<Envelope>(*incoming).message));
  }
}

void Worker::handle(Message message) {
  if (auto* task = std::get_if<Task>(&message.body)) {
    take(std::move(*task));
  } else if (auto* values = std::get_if<ModuleValues>(&message.body)) {
    modules_.arrived(*values);
  } else if (auto* owners = std::get_if<Owners>(&message.body)) {
    modules_.note(owners->owners);
  } else if (auto* state = std::get_if<PathState>(&message.body)) {
    fetched_ = std::move(state->state);
  } else if (auto* stored = std::get_if<Stored>(&message.body)) {
    const bool mine = stored->path == putting_.path && stored->version == putting_.version &&
                      stored->inner_steps == putting_.inner_steps && stored->epoch == task_.epoch;
    if (mine) stored_[stored->store] = stored->accepted;
  } else if (auto* request = std::get_if<Evaluate>(&message.body)) {
    take(std::move(*request));
  } else if (auto* fit = std::get_if<FitRouter>(&message.body)) {
    next_job_ = std::move(*fit);
  } else if (auto* route = std::get_if<RouteDocuments>(&message.body)) {
    next_job_ = std::move(*route);
  } else if (auto* shard = std::get_if<ShardDocuments>(&message.body)) {
    shards_.arrived(*shard);
  } else if (std::holds_alternative<Goodbye>(message.body)) {
    finished_ = true;
  }
}

/// What was under way to the node or asked of it is lost; it is sent or asked again in time, if it is still wanted.
void Worker::lost(NodeId node) {
  modules_.lost(node);
  if (training_ && node == task_.from_store) state_unasked_ = true;
  if (evaluating_ && node == request_.store) state_unasked_ = true;
  if (!stored_.contains(node)) put_to_.erase(node);
  for (const auto& [executor, gradient] : sent_) {
    if (executor == node) seams_.transport.send(kCoordinator, make_message(gradient));
  }
  std::erase_if(sent_, [node](const auto& sent) { return sent.first == node; });
}

void Worker::take(Task task) {
  modules_.note(task.owners);
  if (!task.again) {
    next_task_ = std::move(task);
    return;
  }
  // Of one that has ended here it was told too late.
  Task* const present = training_ ? &task_ : next_task_ ? &*next_task_ : nullptr;
  if (present == nullptr || task.id != present->id || task.epoch != present->epoch) return;
  if (task.from_store == NodeId{-1}) task.from_store = present->from_store;  // who has it is away: it may come back
  if (task.from_store != present->from_store) state_unasked_ = true;
  task.base = present->base;
  *present = std::move(task);
}

void Worker::take(Evaluate request) {
  modules_.note(request.owners);
  if (!evaluating_ || evaluation_void_ || !same_evaluation(request, request_)) {
    next_job_ = std::move(request);
    return;
  }
  if (request.store != request_.store) state_unasked_ = true;
  request_ = std::move(request);
}

void Worker::train() {
  task_ = *std::exchange(next_task_, std::nullopt);
  if (seams_.compute.leaving()) {
    seams_.transport.send(kCoordinator, make_message(TaskDone{.id = task_.id, .epoch = task_.epoch, .leaving = true}));
    return;
  }
  training_ = true;
  PathStateBody state;
  if (!gather_inputs(state)) {
    training_ = false;
    if (task_.to_stores.empty() || noticed_) say_done({}, false);
    return;
  }
  const auto job = make_job(state);
  record(EventKind::task_started);
  const InnerSteps done = compute(job);
  record(EventKind::task_computed, done.value, job->report.loss_sum);
  const bool whole = task_.first_inner_step + done.value == plan_.config.inner.steps;
  PathStateBody after = whole ? finished_state(state, *job) : partial_state(state, *job, done);
  if (plan_.archive != nullptr && (whole || after.inner_steps > 0))
    plan_.archive->settle(attempt(), after, job->report);
  const bool accepted = put(after);
  if (accepted) record(whole ? EventKind::task_committed : EventKind::task_handed_back, done.value);
  if (accepted && whole) {
    last_ = after;
    send_outer_gradients(after);
  }
  training_ = false;
  if (finished_) return;
  say_done(done, accepted && whole);
}

void Worker::say_done(InnerSteps done, bool committed) {
  seams_.transport.send(kCoordinator, make_message(TaskDone{.id = task_.id,
                                                            .epoch = task_.epoch,
                                                            .inner_steps = static_cast<std::int32_t>(done.value),
                                                            .committed = committed,
                                                            .leaving = seams_.compute.leaving()}));
}

/// Whether the run is over, or the coordinator, which counts the present task as lost, has said so (no store gets it
/// any more) or has given another.
bool Worker::superseded() const {
  return finished_ || next_task_ || next_job_ || (training_ && task_.to_stores.empty());
}

/// Whether the task's path state is the prepared start.
bool Worker::starts_anew() const { return state_version() == 0 && task_.first_inner_step == 0; }

/// Of the state that the task begins with: of a part of it, the task's own.
std::int32_t Worker::state_version() const {
  const auto [path, outer_step] = task_.id;
  return task_.first_inner_step > 0 ? outer_step : plan_.timetable.state_version(path, outer_step);
}

/// Whether the task's path state is here without a store.
bool Worker::knows_state() const {
  return starts_anew() ||
         (last_ && last_->path == task_.id.path && last_->version == state_version() && task_.first_inner_step == 0);
}

/// Waits until the path's state and modules are there; false if that is over before.
bool Worker::gather_inputs(PathStateBody& state) {
  const auto [path, outer_step] = task_.id;
  const bool known = knows_state();
  if (!known) last_.reset();
  fetched_.reset();
  state_unasked_ = !known;
  modules_.drop_before(task_.base, outer_step);
  const auto has_state = [&] {
    // One without moments is the late answer to an evaluation that was given up.
    return known || (fetched_ && fetched_->path == path && fetched_->version == state_version() &&
                     fetched_->inner_steps == task_.first_inner_step && fetched_->first_moment.charged > 0);
  };
  const std::int32_t phase = plan_.timetable.phase_of(outer_step);
  const auto ready = [&] { return has_state() && modules_.complete(task_.base) && shards_.has(phase, path); };
  const auto unasked = [&] {
    return (!has_state() && state_unasked_) || modules_.unasked(task_.base) || shards_.unasked(phase, path);
  };
  Asking asking(seams_.compute, plan_.config.liveness, Bytes{16 * plan_.charged.size});
  while (!superseded() && !noticed_ && !ready()) {
    if (asking.due(unasked())) {
      if (asking.overdue()) {
        modules_.forget_requests();
        shards_.forget_requests();
        state_unasked_ = true;
      }
      modules_.request(task_.base);
      shards_.request(phase, path);
      if (!has_state() && task_.from_store != NodeId{-1} && std::exchange(state_unasked_, false)) {
        seams_.transport.send(task_.from_store,
                              make_message(FetchPathState{path, state_version(), task_.first_inner_step, true}));
      }
    }
    if (!ready()) receive_one(asking.wait(unasked()));
  }
  if (!ready()) return false;
  state = !known          ? std::move(*std::exchange(fetched_, std::nullopt))
          : starts_anew() ? start_state(plan_, path)
                          : *last_;
  return true;
}

/// Puts the state to all of the task's stores; true once each has it. A store that is lost in the meantime gets it when
/// it is there again, unless the coordinator names others.
bool Worker::put(const PathStateBody& state) {
  if (state.inner_steps == 0 && state.version == task_.id.outer_step) return false;  // nothing done: nothing to keep
  stored_.clear();
  put_to_.clear();
  putting_ = state;
  const auto& stores = task_.to_stores;
  const auto unasked = [&] {
    return std::any_of(stores.begin(), stores.end(), [&](NodeId store) { return !put_to_.contains(store); });
  };
  const auto refused = [&] {
    return std::any_of(stored_.begin(), stored_.end(), [](const auto& answer) { return !answer.second; });
  };
  const auto all = [&] {
    return std::all_of(stores.begin(), stores.end(), [&](NodeId store) { return stored_.contains(store); });
  };
  // The coordinator takes stores off the list that are away; with none left and none that has it, the attempt is void.
  Asking asking(seams_.compute, plan_.config.liveness, Bytes{16 * plan_.charged.size});
  while (!superseded() && !refused() && !all()) {
    if (asking.due(unasked())) {
      for (const NodeId store : stores) {
        if (stored_.contains(store) || (put_to_.contains(store) && !asking.overdue())) continue;
        put_to_.insert(store);
        seams_.transport.send(store, make_message(PutPathState{task_.epoch, seams_.transport.self(), state}));
      }
    }
    receive_one(asking.wait(unasked()));
  }
  putting_ = {};
  return !refused() && !stores.empty() && all();
}

void Worker::do_next_job() {
  const JobRequest job = *std::exchange(next_job_, std::nullopt);
  do_job(plan_, seams_, job, [this](const Evaluate& request) { evaluate(request); });
  if (seams_.compute.leaving() && !finished_) say_leaving(seams_);
}

void Worker::evaluate(const Evaluate& request) {
  request_ = request;
  evaluating_ = true;
  evaluation_void_ = false;
  evaluate_path(plan_, seams_,
                {modules_, shards_, request_, fetched_, state_unasked_,
                 [this] { return superseded() || evaluation_void_ || seams_.compute.leaving(); },
                 [this](Seconds timeout) { receive_one(timeout); }});
  evaluating_ = false;
}

void Worker::record(EventKind kind, std::int64_t inner_steps, double loss_sum) const {
  seams_.log.record({.time = seams_.compute.now(),
                     .kind = kind,
                     .attempt = static_cast<std::int16_t>(task_.epoch),
                     .node = seams_.transport.self(),
                     .path = task_.id.path,
                     .outer_step = task_.id.outer_step,
                     .inner_steps = static_cast<std::int32_t>(inner_steps),
                     .value = loss_sum});
}

void run_worker(const RunPlan& plan, Seams seams, const NodeSelf& self) { Worker(plan, seams, self).run(); }

}  // namespace dipaco
