#include "core/coordinator/resharding_jobs.hpp"

namespace dipaco {

ReshardingJobs::ReshardingJobs(RunState& run, JobGiving& jobs, Evaluations& evaluations)
    : run_(run), jobs_(jobs), evaluations_(evaluations) {
  hold_tasks();
  want_next();
}

/// Tasks of phases whose shards are not there yet are given to nobody.
void ReshardingJobs::hold_tasks() {
  const Timetable& timetable = run_.plan.timetable;
  std::int32_t phase = 0;
  while (phase < timetable.phases() && run_.resharding.ready(phase)) ++phase;
  run_.queue.dispatch().hold_from(phase < timetable.phases() ? timetable.begin(phase) : OuterStep{run_.last_version()});
}

/// Wants what the answers so far make possible.
void ReshardingJobs::want_next() {
  for (const Job& job : run_.resharding.jobs()) run_.jobs.want(job);
}

void ReshardingJobs::scored(const Evaluated& message) {
  if (run_.resharding.scored(message.path, message.version, message.by_document)) run_.made_progress();
  want_next();
}

void ReshardingJobs::fitted(NodeId node, const RouterFitted& message) {
  jobs_.done(node, {.kind = Job::Kind::fit, .version = number(run_.plan.timetable.begin(message.phase))});
  if (!run_.resharding.fitted(message)) return;
  run_.made_progress();
  want_next();
}

void ReshardingJobs::routed(NodeId node, const DocumentsRouted& message) {
  const std::int32_t version = number(run_.plan.timetable.begin(message.phase));
  jobs_.done(node, {.kind = Job::Kind::route, .version = version, .first = message.first});
  if (!run_.resharding.routed(message)) return;
  run_.made_progress();
  if (!run_.resharding.ready(message.phase)) return;
  for (const Role role : {Role::executor, Role::store}) {
    for (const NodeId each : run_.members.with(role)) run_.send(each, run_.resharding.sizes(message.phase));
  }
  hold_tasks();
  for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) evaluations_.want_reached(PathId{p});
  evaluations_.release_closed();
}

void ReshardingJobs::send_shard(NodeId node, const FetchShard& fetch) {
  if (!run_.resharding.has_shards(fetch.phase)) return;
  run_.send(node, run_.resharding.documents(fetch.phase, fetch.path));
}

}  // namespace dipaco
