#include "core/coordinator/coordinator.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/state/module_files.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

std::vector<std::uint64_t> module_sizes(const RunPlan& plan) {
  std::vector<std::uint64_t> sizes;
  for (const auto& level : plan.charged.levels) sizes.push_back(level.size);
  return sizes;
}

}  // namespace

Coordinator::Coordinator(const RunPlan& plan, Seams seams, const CoordinatorOptions& options)
    : plan_(plan),
      seams_(seams),
      options_(options),
      ledger_(seams.storage, plan),
      queue_(plan.topology, static_cast<std::int32_t>(plan.config.outer.steps), plan.policy,
             [&plan](PathId path, std::int32_t step) { return plan.timetable.next_trained(path, step); }),
      ownership_(plan.topology, module_sizes(plan), plan.config.run.replicas),
      resharding_(plan, seams.storage),
      retention_(plan.timetable, plan.topology),
      losses_(plan.topology.paths()) {
  hold_tasks();
}

RunResult Coordinator::run() {
  made_progress();
  began_at_ = seams_.compute.now();
  restore();
  while (!over_) receive_one();
  return std::move(result_);
}

void Coordinator::receive_one() {
  auto incoming = seams_.transport.receive(patience());
  if (!incoming) {
    expire_leases();
    expire_job_leases();
    if (seams_.compute.now() >= progress_at_ + plan_.config.liveness.deadline) no_progress();
  } else if (auto* envelope = std::get_if<Envelope>(&*incoming)) {
    handle(envelope->from, std::move(envelope->message));
  } else {
    lost(std::get<PeerLost>(*incoming).node);
  }
  if (!started_ || !awaited_.empty()) {
    if (seams_.compute.now() >= start_without_missing_at()) awaited_.clear();
    start_when_ready();
    settle_modules();
  }
  mend_gradients();
  if (jobs_overdue()) give_jobs();
  assign();
  give_jobs();
  if (trained_ && !finishing_ && jobs_.empty()) finish();
  tell_waiting();
}

void Coordinator::send(NodeId to, Body body) {
  ledger_.flush();
  seams_.transport.send(to, make_message(std::move(body)));
}

Seconds Coordinator::patience() const {
  Seconds until = progress_at_ + plan_.config.liveness.deadline;
  if (!leases_.empty()) until = std::min(until, leases_.top().ends);
  if (const auto lease = jobs_.first_lease()) until = std::min(until, lease->first);
  const bool missing = !started_ && count(Role::executor) > 0 && count(Role::store) > 0;
  if ((missing || !awaited_.empty()) && seams_.compute.now() < start_without_missing_at()) {
    until = std::min(until, std::max(start_without_missing_at(), seams_.compute.now()));
  }
  if (options_.tell_waiting) until = std::min(until, told_at_ + kBetweenTold);
  return std::max(Seconds(0), until - seams_.compute.now());
}

void Coordinator::made_progress() { progress_at_ = seams_.compute.now(); }

void Coordinator::handle(NodeId from, Message message) {
  if (const auto* hi = std::get_if<Hello>(&message.body)) {
    hello(from, *hi);
    return;
  }
  if (!members_.contains(from)) return;  // it will say hello, and with it all that it has
  if (const auto* commit = std::get_if<Committed>(&message.body)) {
    note_state(from, commit->state);
  } else if (const auto* ready = std::get_if<ModuleReady>(&message.body)) {
    module_ready(from, *ready);
  } else if (const auto* done = std::get_if<TaskDone>(&message.body)) {
    task_done(from, *done);
  } else if (const auto* undelivered = std::get_if<GradientsLost>(&message.body)) {
    gradient_undelivered(*undelivered);
  } else if (const auto* refused = std::get_if<StateRefused>(&message.body)) {
    state_refused(*refused);
  } else if (const auto* status = std::get_if<PathStatus>(&message.body)) {
    path_status(from, *status);
  } else if (const auto* score = std::get_if<Evaluated>(&message.body)) {
    evaluated(from, *score);
  } else if (const auto* fitted = std::get_if<RouterFitted>(&message.body)) {
    router_fitted(from, *fitted);
  } else if (const auto* routed = std::get_if<DocumentsRouted>(&message.body)) {
    documents_routed(from, *routed);
  } else if (const auto* fetch = std::get_if<FetchShard>(&message.body)) {
    if (resharding_.has_shards(fetch->phase)) send(from, resharding_.documents(fetch->phase, fetch->path));
  } else if (const auto* finished = std::get_if<Finished>(&message.body)) {
    collect_model(*finished);
  }
}

void Coordinator::note_state(NodeId store, const HeldState& state) {
  const PathEntry& path = queue_.path(state.path);
  if (state.inner_steps > 0) {
    if (state.version != path.outer_step) return;
    holders_.add(state.path, state.version, state.inner_steps, store);
    queue_.handed_back(state.path, state.inner_steps, members_.at(store).site);
    note_path(state.path);
    return;
  }
  if (state.version > path.version) return arrived(store, state);
  const auto copying = copying_.find({state.path, state.version});
  if (copying != copying_.end() && copying->second == store) copying_.erase(copying);
  // Two attempts may each have reached one store: the one that counts is copied over the other.
  const bool other_attempt = state.version == path.version && state.epoch != path.state_epoch;
  const bool wanted =
      state.version >= state_before(state.path, path.version) || retention_.keeps(state.path, state.version);
  if (other_attempt) {
    replicate(state.path);
  } else if (wanted) {
    holders_.add(state.path, state.version, 0, store);
  }
}

void Coordinator::arrived(NodeId store, const HeldState& state) {
  const std::int32_t known = queue_.path(state.path).version;
  if (state.version > queue_.path(state.path).outer_step + 1) {
    throw DataError("store " + std::to_string(index(store)) + " has version " + std::to_string(state.version) + " of " +
                    text(state.path) + ", the coordinator's journal ends at " + std::to_string(known) +
                    "; start all nodes with the storage of the same run");
  }
  auto& arrivals = arrivals_[state.path];
  std::erase_if(arrivals, [store](const Arrival& earlier) { return earlier.store == store; });
  arrivals.push_back({store, state});
  commit_if_complete(state.path);
}

/// A task is committed once its state is at each of the attempt's stores that is there: only then does its worker send
/// outer gradients. Of a lost attempt, once all who could have its state have answered.
void Coordinator::commit_if_complete(PathId id) {
  const auto found = arrivals_.find(id);
  if (found == arrivals_.end() || found->second.empty()) return;
  const PathEntry& path = queue_.path(id);
  const auto& arrivals = found->second;
  const auto lacks = [&](NodeId store) {
    const bool there = members_.contains(store) || awaited_.contains(store);
    return there && std::none_of(arrivals.begin(), arrivals.end(), [&](const Arrival& a) { return a.store == store; });
  };
  const auto& to = path.to_stores;
  const bool running = path.phase == PathEntry::Phase::running && !path.worker_done;
  if (running && std::any_of(to.begin(), to.end(), lacks)) return;
  if (path.phase == PathEntry::Phase::in_question && !path.asked.empty()) return;
  commit(id);
}

void Coordinator::commit(PathId id) {
  const auto arrivals = arrivals_.extract(id).mapped();
  const PathEntry& path = queue_.path(id);
  // Of several attempts the running one counts, which will send its outer gradients; else the first that was heard of.
  const auto newest = std::find_if(arrivals.begin(), arrivals.end(),
                                   [&](const Arrival& arrival) { return arrival.state.epoch == path.epoch; });
  const Arrival& counted = newest == arrivals.end() ? arrivals.front() : *newest;
  const HeldState& state = counted.state;
  const bool by_newest = path.phase == PathEntry::Phase::running && state.epoch == path.epoch;
  const std::vector<Epoch> sent_to = path.sent_to;
  queue_.committed(id, state.version, members_.at(counted.store).site, seams_.compute.now());
  queue_.path(id).state_epoch = state.epoch;
  for (const Arrival& arrival : arrivals) {
    if (arrival.state.epoch == state.epoch) holders_.add(id, state.version, 0, arrival.store);
  }
  holders_.drop_below(id, state_before(id, state.version),
                      [&](std::int32_t version) { return retention_.keeps(id, version); });
  losses_.set(id, state.loss_sum / static_cast<double>(plan_.config.inner.steps));
  note_path(id);
  end_refusals(state.worker);
  made_progress();
  // By a worker that was lost since, by one that another store has refused, or by one that knew of an owner that is
  // none any more: what it had to send may never come.
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(id, l);
    if (plan_.topology.path_specific(module)) continue;
    const auto level = static_cast<std::size_t>(l);
    const bool same = level < sent_to.size() && sent_to[level] == ownership_.owner(module).epoch;
    if (!by_newest || !same) doubts_.emplace(module, id);
  }
  if (count(Role::store) < options_.stores) {
    for (const NodeId worker : given_.of(id)) spare_attempt(worker);
  }
  if (!by_newest) {
    void_attempts(id);
    replicate(id);
  }
  advance(id);
  if (options_.progress) options_.progress(progress());
}

/// Journals what is news of a module's version and of contributions to it.
void Coordinator::note_module(const ModuleReady& message) {
  const auto unknown = [&](PathId path, std::int32_t outer_step) {
    return outer_step > queue_.modules().settled(message.module, path);
  };
  ModuleRecord record{message.module, message.version};
  for (const SettledPath& each : message.settled) {
    if (unknown(each.path, each.outer_step)) record.settled.push_back(each);
  }
  for (const Dropped& each : message.dropped) {
    if (unknown(each.path, each.outer_step + 1)) record.dropped.push_back(each);
  }
  const bool newer = message.version > queue_.modules().version(message.module);
  if (!newer && record.settled.empty()) return;
  ledger_.note(record);
  made_progress();
}

void Coordinator::module_ready(NodeId from, const ModuleReady& message) {
  if (!ownership_.ready(from, message)) return;
  note_module(message);
  for (const PathId path :
       queue_.module_ready(message.module, message.version, message.settled, seams_.compute.now())) {
    queued(path);
  }
  for (const PathId path : plan_.topology.paths_through(message.module)) want_reached(path);
  keep_bases(message.module);
  note_end();
  if (finishing_) ask_for_model();  // another owner than the one that was asked
}

void Coordinator::path_status(NodeId store, const PathStatus& status) {
  PathEntry& path = queue_.path(status.path);
  const bool mine = path.phase == PathEntry::Phase::in_question && status.outer_step == path.outer_step &&
                    status.epoch == path.epoch + 1 && path.asked.erase(store) > 0;
  if (!mine) return;
  path.answered = true;
  answered(status.path);
}

void Coordinator::task_done(NodeId worker, const TaskDone& message) {
  if (message.leaving) leaves(worker);
  if (message.id.path == PathId{-1}) return;  // it had a job
  // It may have been committed all the same, by one store of several: then nobody has sent its outer gradients.
  if (!message.committed && queue_.path(message.id.path).version == message.id.outer_step + 1) {
    doubt_gradients(message.id.path);
  }
  const GivenTask* const given = given_.find(worker);
  if (given == nullptr || given->id != message.id || given->epoch != message.epoch) return;
  given_.remove(worker);
  replicate(message.id.path);
  if (!message.leaving) queue_.worker_free(worker);
  PathEntry& path = queue_.path(message.id.path);
  const bool mine = path.phase == PathEntry::Phase::running && path.worker == worker &&
                    path.outer_step == message.id.outer_step && path.epoch == message.epoch;
  if (!mine) return;
  path.worker_done = true;
  message.committed ? commit_if_complete(message.id.path) : question(message.id.path);
}

void Coordinator::gradient_undelivered(const GradientsLost& message) {
  if (queue_.path(message.task.path).version == message.task.outer_step + 1) {
    doubts_.emplace(message.module, message.task.path);
  } else if (PathEntry& path = queue_.path(message.task.path); path.outer_step == message.task.outer_step) {
    path.sent_to.clear();  // its commit is not known here yet
  }
}

RunResult run_coordinator(const RunPlan& plan, Seams seams, const CoordinatorOptions& options) {
  return Coordinator(plan, seams, options).run();
}

}  // namespace dipaco
