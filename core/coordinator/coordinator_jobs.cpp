// The coordinator's jobs: evaluations, and the steps of a re-sharding.

#include <algorithm>

#include "core/base/error.hpp"
#include "core/coordinator/coordinator.hpp"
#include "core/plan/deadlines.hpp"
#include "core/plan/job_cost.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

Job job_of(Purpose purpose, std::int32_t version, PathId path) {
  constexpr Job::Kind kKinds[] = {Job::Kind::score, Job::Kind::stop_early, Job::Kind::watch, Job::Kind::result};
  return {.kind = kKinds[static_cast<std::size_t>(purpose)], .version = version, .path = path};
}

Purpose purpose_of(const Job& job) {
  if (job.kind == Job::Kind::score) return Purpose::routing;
  if (job.kind == Job::Kind::stop_early) return Purpose::early_stopping;
  return job.kind == Job::Kind::watch ? Purpose::progress : Purpose::result;
}

}  // namespace

/// The path's modules are all at this version: what is due with it can be done, once there are shards to do it on.
/// Modules that no drawn path goes through reach versions of a phase whose shards are still being made.
void Coordinator::want_evaluations(PathId path, std::int32_t version) {
  if (!resharding_.ready(plan_.timetable.phase_of_version(version))) return;
  for (const Purpose purpose : plan_.timetable.due(version)) {
    const auto scored = scores_.find({version, purpose});
    const bool known = purpose == Purpose::routing ? resharding_.has_score(path, version)
                                                   : scored != scores_.end() && scored->second.contains(path);
    if (!known && !closed(version, purpose)) jobs_.want(job_of(purpose, version, path));
  }
}

/// The versions that all the path's modules have reached since its newest state.
void Coordinator::want_reached(PathId id) {
  const PathEntry& path = queue_.path(id);
  std::int32_t reached = path.outer_step;
  for (const ModuleId module : queue_.missing_modules(id))
    reached = std::min(reached, number(queue_.modules().version(module)));
  for (std::int32_t version = path.version; version <= reached; ++version) want_evaluations(id, version);
}

bool Coordinator::closed(std::int32_t version, Purpose purpose) const {
  if (purpose == Purpose::routing) return resharding_.ready(plan_.timetable.phase_of(version));
  return closed_.contains({version, purpose});
}

/// The run's result is each path's best version, or its last.
void Coordinator::want_results() {
  if (!trained_ || plan_.learner == nullptr || !all_closed()) return;
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
    if (!results_.contains(PathId{p})) jobs_.want(job_of(Purpose::result, best_version(PathId{p}), PathId{p}));
  }
}

std::int32_t Coordinator::best_version(PathId path) const {
  const auto best = best_.find(path);
  return best == best_.end() ? last_version() : best->second.version;
}

/// Evaluations wait for workers that have no task. Once the next of their kind is due they go first: what they need is
/// kept for them; and training waits for a re-sharding. Early stopping's are due at each version.
bool Coordinator::jobs_overdue() const {
  const auto every = static_cast<std::int32_t>(std::max<std::int64_t>(1, plan_.config.evaluate.every));
  const auto overdue = [&](Job::Kind kind) {
    const auto job = jobs_.first(kind);
    return job && queue_.lowest_version() >= job->version + (kind == Job::Kind::watch ? every : 1);
  };
  return jobs_.urgent() || overdue(Job::Kind::stop_early) || overdue(Job::Kind::watch) || overdue(Job::Kind::result);
}

void Coordinator::give_jobs() {
  for (auto next = jobs_.waiting().begin(); next != jobs_.waiting().end();) {
    const Job job = *next++;  // first: it waits no more once it is given
    const auto node = take_node();
    if (!node) return;
    // Where what it needs is at a store that is away: another first.
    if (!send_job(*node, job)) release_node(*node);
  }
}

/// A node for a job: an evaluator, or where none serves, a free worker.
std::optional<NodeId> Coordinator::take_node() {
  if (members_.serving(Role::evaluator) == 0) return queue_.take_worker();
  if (idle_evaluators_.empty()) return std::nullopt;
  return idle_evaluators_.extract(idle_evaluators_.begin()).value();
}

/// False where the path's own modules are at no store that is there.
bool Coordinator::send_job(NodeId node, const Job& job) {
  if (job.kind != Job::Kind::fit && job.kind != Job::Kind::route) return send_evaluation(node, job);
  Body request = resharding_.request(job);
  const auto* const route = std::get_if<RouteDocuments>(&request);
  give(node, job, NodeId{-1}, route == nullptr ? router_fit_cost(plan_) : routing_cost(plan_, route->count));
  send(node, std::move(request));
  return true;
}

bool Coordinator::send_evaluation(NodeId node, const Job& job) {
  const std::int32_t version = plan_.timetable.state_version(job.path, job.version);
  const auto& stores = holders_.of(job.path, version);
  const bool specific = version > 0 && specific_size(plan_.topology, plan_.layout, job.path) > 0;
  if (specific && stores.empty()) return false;
  const NodeId store = stores.empty() ? NodeId{-1} : nearest(stores, members_.at(node).site);
  const std::int32_t phase = plan_.timetable.phase_of_version(job.version);
  const auto& shards = phase == 0 ? plan_.learner->prepared().shards : resharding_.shards(phase);
  const Shard& shard = shards[static_cast<std::size_t>(index(job.path))];
  const Purpose purpose = purpose_of(job);
  give(node, job, store, evaluation_cost(plan_, purpose, scored_documents(plan_, purpose, &shard)));
  send(node, Evaluate{job.path, job.version, purpose, store, owners_of(job.path), base_of(job)});
  return true;
}

/// The versions that are scored: in rounds those of the job's outer step, else the run's last.
Base Coordinator::base_of(const Job& job) const {
  Base base = queue_.modules().newest(job.path);
  for (BaseVersion& part : base) {
    if (plan_.policy.rounds) part.version = Version{job.version};
  }
  return base;
}

/// With a lease, as tasks are. @param cost  what the node is charged
void Coordinator::give(NodeId node, const Job& job, NodeId store, Flops cost) {
  const Bytes moved{4 * 10 * plan_.charged.size};
  const Seconds lasting = lease_of(plan_.config.liveness, cost, members_.at(node).speed, moved);
  jobs_.give(node, {.job = job, .store = store, .until = seams_.compute.now() + lasting});
}

/// Whoever is late keeps what it is at, and another does it too: what comes second changes nothing. The late one is
/// free once it has said hello, which it does behind its computation, or in the middle of gathering, which that ends.
void Coordinator::expire_job_leases() {
  for (auto lease = jobs_.first_lease(); lease && lease->first <= seams_.compute.now(); lease = jobs_.first_lease()) {
    const NodeId node = lease->second;
    jobs_.take_back(node);
    members_.late(node);
    send(node, WhoIsThere{});
  }
}

/// The store was lost, or has come back: what waits for it is asked of one that is there.
void Coordinator::move_evaluations(NodeId store) {
  const auto at_work = jobs_.given();
  for (const auto& [node, given] : at_work) {
    const bool concerned = given.store == store || (given.store != NodeId{-1} && !members_.contains(given.store));
    if (concerned) send_job(node, given.job);
  }
}

/// A worker or evaluator has nothing to do.
void Coordinator::release_node(NodeId node) {
  const KnownNode& member = members_.at(node);
  if (!member.serves()) return;
  if (member.role == Role::evaluator) idle_evaluators_.insert(node);
  queue_.worker_free(node);
}

/// Who else is at it was given it when its first node was lost, which has woken: the second need not end it.
void Coordinator::job_done(NodeId node, const Job& job) {
  for (const NodeId other : jobs_.done(job)) {
    if (other != node) release_node(other);
  }
  if (!jobs_.given().contains(node) && given_.find(node) == nullptr) release_node(node);
}

void Coordinator::evaluated(NodeId node, const Evaluated& message) {
  job_done(node, job_of(message.purpose, message.version, message.path));
  if (message.purpose == Purpose::routing) {
    want(resharding_.scored(message.path, message.version, message.by_document));
    return;
  }
  const Score score{message.nats, message.tokens, message.bytes, message.documents};
  if (message.purpose == Purpose::result) {
    if (!results_.emplace(message.path, score).second) return;
    made_progress();
    ledger_.note(message);
    return;
  }
  auto& scores = scores_[{message.version, message.purpose}];
  if (closed(message.version, message.purpose) || !scores.emplace(message.path, score).second) return;
  made_progress();
  ledger_.note(message);
  if (message.purpose == Purpose::early_stopping) note_best(best_, message);
  if (std::ssize(scores) == plan_.topology.paths()) close_evaluation(message.version, message.purpose);
}

void Coordinator::close_evaluation(std::int32_t version, Purpose purpose) {
  Score all;
  for (const auto& [path, score] : scores_[{version, purpose}]) all += score;  // by path: sums in one order
  scores_.erase({version, purpose});
  closed_.emplace(version, purpose);
  ledger_.note(ClosedRecord{version, purpose, all.nats, all.tokens, all.bytes, all.documents});
  if (purpose == Purpose::progress) result_.evaluations.emplace_back(version, all);
  release_closed();
  want_results();
}

/// Versions need not be kept for evaluations up to the last of those that are all closed.
void Coordinator::release_closed() {
  Released released{retention_.released().version, {}};
  for (std::int32_t next = released.version + 1; next <= last_version(); ++next) {
    const auto due = plan_.timetable.due(next);
    if (!std::all_of(due.begin(), due.end(), [&](Purpose purpose) { return closed(next, purpose); })) break;
    if (!due.empty()) released.version = next;
  }
  for (const auto& [path, best] : best_) released.best.push_back({path, best.version});
  if (!retention_.release(std::move(released))) return;
  ledger_.flush();  // what is closed stays so: its shards are gone
  resharding_.forget_before(plan_.timetable.phase_of(retention_.released().version));
  for (const Role role : {Role::executor, Role::store}) {
    for (const NodeId node : members_.with(role)) send(node, Release{retention_.released()});
  }
}

/// Tasks of phases whose shards are not there yet are given to nobody.
void Coordinator::hold_tasks() {
  std::int32_t phase = 0;
  while (phase < plan_.timetable.phases() && resharding_.ready(phase)) ++phase;
  queue_.hold_from(phase < plan_.timetable.phases() ? plan_.timetable.begin(phase) : last_version());
}

bool Coordinator::all_closed() const {
  for (std::int32_t next = retention_.released().version + 1; next <= last_version(); ++next) {
    const auto due = plan_.timetable.due(next);
    if (!std::all_of(due.begin(), due.end(), [&](Purpose purpose) { return closed(next, purpose); })) return false;
  }
  return true;
}

void Coordinator::want(const std::vector<Job>& jobs) {
  made_progress();
  for (const Job& job : jobs) jobs_.want(job);
}

void Coordinator::router_fitted(NodeId node, const RouterFitted& message) {
  job_done(node, {.kind = Job::Kind::fit, .version = plan_.timetable.begin(message.phase)});
  want(resharding_.fitted(message));
}

void Coordinator::documents_routed(NodeId node, const DocumentsRouted& message) {
  job_done(node, {.kind = Job::Kind::route, .version = plan_.timetable.begin(message.phase), .first = message.first});
  if (resharding_.ready(message.phase)) return;
  resharding_.routed(message);
  made_progress();
  if (!resharding_.ready(message.phase)) return;
  for (const NodeId executor : members_.with(Role::executor)) send(executor, resharding_.sizes(message.phase));
  hold_tasks();
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) want_reached(PathId{p});
  release_closed();
}

}  // namespace dipaco
