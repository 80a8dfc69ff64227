#include "core/runtime/coordinator.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/runtime/path_values.hpp"

namespace dipaco {

Coordinator::Coordinator(const RunPlan& plan, Seams seams, const CoordinatorOptions& options)
    : plan_(plan),
      seams_(seams),
      options_(options),
      queue_(plan.topology, static_cast<std::int32_t>(plan.config.outer.steps)),
      path_loss_(static_cast<std::size_t>(plan.topology.paths())) {}

RunResult Coordinator::run() {
  while (!over()) receive_one();
  return std::move(result_);
}

void Coordinator::receive_one() {
  auto incoming = seams_.transport.receive(patience());
  if (!incoming) {
    expire_leases();
    if (seams_.compute.now() - progress_at_ >= plan_.config.liveness.deadline) no_progress();
  } else if (auto* envelope = std::get_if<Envelope>(&*incoming)) {
    handle(envelope->from, std::move(envelope->message));
  } else {
    lost(std::get<PeerLost>(*incoming).node);
  }
  assign();
  give_evaluations();
  if (trained_ && !finishing_ && to_evaluate_.empty() && evaluating_.empty()) finish();
}

Seconds Coordinator::patience() const {
  Seconds until = progress_at_ + plan_.config.liveness.deadline;
  if (!leases_.empty()) until = std::min(until, leases_.top().ends);
  return std::max(Seconds(0), until - seams_.compute.now());
}

void Coordinator::made_progress() { progress_at_ = seams_.compute.now(); }

void Coordinator::handle(NodeId from, Message message) {
  if (const auto* hi = std::get_if<Hello>(&message.body)) {
    hello(from, *hi);
  } else if (const auto* commit = std::get_if<Committed>(&message.body)) {
    committed(from, *commit);
  } else if (const auto* ready = std::get_if<ModuleReady>(&message.body)) {
    module_ready(*ready);
  } else if (const auto* done = std::get_if<TaskDone>(&message.body)) {
    task_done(from, *done);
  } else if (const auto* status = std::get_if<PathStatus>(&message.body)) {
    path_status(from, *status);
  } else if (const auto* score = std::get_if<Evaluated>(&message.body)) {
    evaluated(from, *score);
  } else if (const auto* finished = std::get_if<Finished>(&message.body)) {
    collect_hash(*finished);
    unfinished_.erase(from);
    if (unfinished_.empty()) seal_hash();
  }
}

void Coordinator::hello(NodeId node, const Hello& hello) {
  if (hello.config_hash != plan_.config_hash || hello.prepared_hash != plan_.prepared_hash) {
    throw ConfigError("node " + std::to_string(index(node)) + " runs configuration " + hello.config_hash +
                      " on prepared data " + hello.prepared_hash + ", the coordinator " + plan_.config_hash + " on " +
                      plan_.prepared_hash + "; start all nodes with the same run file and prepared directory");
  }
  const auto known = members_.find(node);
  if (known != members_.end() && known->second.incarnation < hello.incarnation)
    lost(node);  // back before it was missed
  members_[node] = {hello.role, hello.site, hello.incarnation, hello.speed};
  if (!arithmetic_) arithmetic_ = hello.arithmetic;
  if (*arithmetic_ != hello.arithmetic) result_.mixed_arithmetic = *arithmetic_ + " and " + hello.arithmetic;
  made_progress();
  if (finishing_) {
    seams_.transport.send(node, make_message(Finish{static_cast<std::int32_t>(plan_.config.outer.steps), {}}));
    return;
  }
  if (hello.role == Role::worker) queue_.worker_up(node, hello.site, hello.speed);
  if (hello.role == Role::evaluator) idle_evaluators_.insert(node);
  start_when_ready();
}

void Coordinator::lost(NodeId node) {
  const auto found = members_.find(node);
  if (found == members_.end()) return;
  const Member member = found->second;
  members_.erase(found);
  if (member.role == Role::executor || member.role == Role::store) {
    throw RunError(static_cast<int>(ExitStatus::peers_lost),
                   std::string(name(member.role)) + " " + std::to_string(index(node)) + " was lost at " +
                       std::to_string(seams_.compute.now().count()) +
                       " s, and what it owned is nowhere else; keep its host up");
  }
  idle_evaluators_.erase(node);
  queue_.worker_gone(node);
  if (const auto evaluation = evaluating_.extract(node)) to_evaluate_.insert(evaluation.mapped());
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
    const PathEntry& path = queue_.path(PathId{p});
    if (path.worker != node) continue;
    if (path.phase == PathEntry::Phase::running) question(PathId{p});
    if (path.phase == PathEntry::Phase::waiting) make_gradients_again(PathId{p});
  }
}

void Coordinator::committed(NodeId store, const Committed& message) {
  const SiteId site = members_.at(store).site;
  if (message.inner_steps > 0) {
    if (queue_.path(message.path).version == message.version) {
      queue_.handed_back(message.path, message.inner_steps, store, site);
    }
    return;
  }
  const PathEntry::Phase before = queue_.path(message.path).phase;
  if (!queue_.committed(message.path, message.version, store, site, seams_.compute.now())) return;
  path_loss_[static_cast<std::size_t>(index(message.path))] =
      message.loss_sum / static_cast<double>(plan_.config.inner.steps);
  made_progress();
  // Committed by a worker that was lost since: what it still had to send is made again.
  if (before == PathEntry::Phase::in_question) make_gradients_again(message.path);
  advance(message.path);
  if (options_.progress) options_.progress(progress());
}

RunProgress Coordinator::progress() const {
  double loss = 0;
  double count = 0;
  for (const double path : path_loss_) {
    if (path == 0) continue;  // nothing committed yet
    loss += path;
    ++count;
  }
  if (count > 0) loss /= count;
  return {.now = seams_.compute.now(),
          .tasks_committed = queue_.committed_tasks(),
          .tasks = plan_.topology.paths() * plan_.config.outer.steps,
          .outer_step = queue_.lowest_version(),
          .loss = loss};
}

void Coordinator::module_ready(const ModuleReady& message) {
  made_progress();
  for (const PathId path : queue_.module_ready(message.module, message.version, seams_.compute.now())) queued(path);
  note_end();
}

void Coordinator::path_status(NodeId store, const PathStatus& status) {
  const PathEntry& path = queue_.path(status.path);
  if (path.phase != PathEntry::Phase::in_question || status.epoch != path.epoch + 1) return;
  if (status.version > path.version) {
    // Its Committed is on the way, behind nothing: the store sent it before this answer.
    return;
  }
  if (status.partial_version == path.version) {
    queue_.handed_back(status.path, status.partial_inner_steps, store, members_.at(store).site);
  }
  record(EventKind::task_requeued, status.path, path.worker);
  queue_.requeue(status.path, seams_.compute.now());
}

void Coordinator::task_done(NodeId worker, const TaskDone& message) {
  if (!message.leaving) {
    queue_.worker_free(worker);
  } else {
    queue_.worker_gone(worker);
  }
  const PathEntry& path = queue_.path(message.id.path);
  const bool mine = path.worker == worker && path.version == message.id.outer_step && path.epoch == message.epoch;
  if (mine && !message.committed && path.phase == PathEntry::Phase::running) question(message.id.path);
}

void Coordinator::evaluated(NodeId node, const Evaluated& message) {
  made_progress();
  evaluating_.erase(node);
  const auto member = members_.find(node);
  if (member != members_.end() && member->second.role == Role::evaluator) idle_evaluators_.insert(node);
  queue_.worker_free(node);
  auto& scores = scores_[message.version];
  scores.try_emplace(message.path, Score{message.nats, message.tokens, message.bytes, message.documents});
  if (scores.size() == static_cast<std::size_t>(plan_.topology.paths())) close_evaluation(message.version);
}

RunResult run_coordinator(const RunPlan& plan, Seams seams, const CoordinatorOptions& options) {
  return Coordinator(plan, seams, options).run();
}

}  // namespace dipaco
