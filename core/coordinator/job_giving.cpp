#include "core/coordinator/job_giving.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/coordinator/evaluations.hpp"
#include "core/coordinator/known/patience.hpp"
#include "core/coordinator/known/regional_parts.hpp"
#include "core/plan/job_cost.hpp"

namespace dipaco {

bool JobGiving::overdue() const {
  const auto every = static_cast<std::int32_t>(std::max<std::int64_t>(1, run_.plan.config.evaluate.every));
  const auto late = [&](Job::Kind kind) {
    const auto job = run_.jobs.first(kind);
    return job && run_.queue.lowest_version() >= job->version + (kind == Job::Kind::watch ? every : 1);
  };
  return run_.jobs.urgent() || late(Job::Kind::stop_early) || late(Job::Kind::watch) || late(Job::Kind::result);
}

void JobGiving::give() {
  for (auto next = run_.jobs.waiting().begin(); next != run_.jobs.waiting().end();) {
    const Job job = *next++;  // first: it waits no more once it is given
    const auto node = take_node(job);
    if (!node && job.kind == Job::Kind::gradients) continue;  // few, and the first: evaluators may be free
    if (!node) return;
    // Where what it needs is at a store that is away: another first.
    if (!send(*node, job)) release(*node);
  }
}

std::optional<NodeId> JobGiving::take_node(const Job& job) {
  const bool by_worker = job.kind == Job::Kind::gradients || run_.members.serving(Role::evaluator) == 0;
  if (by_worker) return run_.queue.dispatch().take_worker();
  if (idle_evaluators_.empty()) return std::nullopt;
  return idle_evaluators_.extract(idle_evaluators_.begin()).value();
}

/// False where the path's state, or its own modules, are at no store that is there.
bool JobGiving::send(NodeId node, const Job& job) {
  if (job.kind == Job::Kind::gradients) return send_gradients(node, job);
  if (job.kind != Job::Kind::fit && job.kind != Job::Kind::route) return send_evaluation(node, job);
  Body request = run_.resharding.request(job);
  const auto* const route = std::get_if<RouteDocuments>(&request);
  lease(node, job, NodeId{-1}, route == nullptr ? router_fit_cost(run_.plan) : routing_cost(run_.plan, route->count));
  run_.send(node, std::move(request));
  return true;
}

bool JobGiving::send_evaluation(NodeId node, const Job& job) {
  const RunPlan& plan = run_.plan;
  const std::int32_t version = plan.timetable.state_version(job.path, job.version);
  const auto& stores = run_.holders.of(job.path, version);
  const bool specific = version > 0 && specific_size(plan.topology, plan.charged, job.path) > 0;
  if (specific && stores.empty()) return false;
  const NodeId store = stores.empty() ? NodeId{-1} : run_.nearest(stores, run_.members.at(node).site);
  const std::int32_t phase = plan.timetable.phase_of_version(job.version);
  const auto& shards = phase == 0 ? plan.learner->prepared().shards : run_.resharding.shards(phase);
  const Shard& shard = shards[static_cast<std::size_t>(index(job.path))];
  const Purpose purpose = purpose_of(job);
  lease(node, job, store, evaluation_cost(plan, purpose, scored_documents(plan, purpose, &shard)));
  run_.send(node, Evaluate{job.path, job.version, purpose, store, result_owners(run_, job.path), base_of(job)});
  return true;
}

bool JobGiving::send_gradients(NodeId node, const Job& job) {
  const TaskId task{job.path, OuterStep{job.version - 1}};
  const auto& stores = run_.holders.of(job.path, job.version);
  auto modules = run_.lost_gradients.to_make(task);
  if (stores.empty() || modules.empty()) return false;
  const NodeId store = run_.nearest(stores, run_.members.at(node).site);
  const Base& base = run_.queue.path(job.path).state_base;
  lease(node, job, store, static_cast<double>(run_.plan.config.inner.steps) * run_.plan.inner_step_cost);
  run_.send(node, MakeGradients{task, store, run_.owners_of(job.path), base, std::move(modules)});
  return true;
}

/// The versions that are scored: in rounds those of the job's outer step, else the run's last.
Base JobGiving::base_of(const Job& job) const {
  Base base = result_of(run_, job.path);
  for (BaseVersion& part : base) {
    if (run_.plan.policy.rounds) part.version = Version{job.version};
  }
  return base;
}

/// Gives it with a lease, as tasks are. @param cost  what the node is charged
void JobGiving::lease(NodeId node, const Job& job, NodeId store, Flops cost) {
  constexpr Seconds kForEver{std::numeric_limits<double>::infinity()};
  run_.inquiries.forget(node);
  run_.jobs.give(node, {.job = job, .store = store, .lasting = patience_with(run_, node, cost).value_or(kForEver)},
                 run_.now());
}

void JobGiving::expire_leases() {
  JobList& jobs = run_.jobs;
  for (auto lease = jobs.first_lease(); lease && lease->first <= run_.now(); lease = jobs.first_lease()) {
    const NodeId node = lease->second;
    const bool asked = jobs.given().at(node).asked;
    if (!asked || run_.hopeful(node)) {
      run_.inquire(node);
      jobs.wait_on(node, run_.now());
      continue;
    }
    jobs.take_back(node);
    run_.members.late(node);
    run_.send(node, WhoIsThere{});
  }
}

void JobGiving::move(NodeId store) {
  const auto at_work = run_.jobs.given();
  for (const auto& [node, given] : at_work) {
    const bool concerned = given.store == store || (given.store != NodeId{-1} && !run_.members.contains(given.store));
    if (concerned) send(node, given.job);
  }
}

/// A worker or evaluator has nothing to do.
void JobGiving::release(NodeId node) {
  const KnownNode& member = run_.members.at(node);
  if (!member.serves()) return;
  if (member.role == Role::evaluator) idle_evaluators_.insert(node);
  run_.queue.dispatch().worker_free(node);
}

void JobGiving::done(NodeId node, const Job& job) {
  for (const NodeId other : run_.jobs.done(job)) {
    if (other != node) release(other);
  }
  if (!run_.jobs.given().contains(node) && run_.given.find(node) == nullptr) release(node);
}

void JobGiving::evaluator_up(NodeId node) {
  run_.jobs.take_back(node);
  idle_evaluators_.insert(node);
}

void JobGiving::leaves(NodeId node) {
  run_.members.leaves(node);
  run_.queue.dispatch().worker_gone(node);
  lost(node);
}

void JobGiving::lost(NodeId node) {
  idle_evaluators_.erase(node);
  run_.jobs.take_back(node);
}

}  // namespace dipaco
