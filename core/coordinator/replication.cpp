#include "core/coordinator/replication.hpp"

#include <set>
#include <string>

namespace dipaco {

void Replication::replicate(PathId id) {
  if (run_.plan.config.run.replicas == 1) return;
  const PathEntry& path = run_.queue.path(id);
  for (const NodeId worker : run_.given.of(id)) {
    if (version_after(run_.given.find(worker)->id.outer_step) == path.version) return;
  }
  const auto copy_older = [&](std::int32_t evaluated) {
    const std::int32_t version = run_.plan.timetable.state_version(id, evaluated);
    if (version < path.version) copy(id, version);
  };
  copy(id, path.version);
  for (const Job& job : run_.jobs.of(id)) copy_older(job.version);
  if (evaluations_.best().contains(id)) copy_older(evaluations_.best_version(id));
}

void Replication::copy(PathId id, std::int32_t version) {
  const auto& holders = run_.holders.of(id, version);
  if (version == 0 || holders.empty() || std::ssize(holders) >= run_.plan.config.run.replicas) return;
  if (copying_.contains({id, version})) return;
  std::set<std::string> machines;
  for (const NodeId store : holders) machines.insert(run_.members.at(store).machine);
  for (const NodeId store : run_.members.stores_near(run_.queue.path(id).site, index(id))) {
    if (machines.contains(run_.members.at(store).machine)) continue;
    copying_[{id, version}] = store;
    run_.send(run_.nearest(holders, run_.members.at(store).site), CopyPathState{id, version, store});
    return;
  }
}

void Replication::replicate_all() {
  for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) replicate(PathId{p});
}

void Replication::arrived(const HeldState& state, NodeId store) {
  const auto copying = copying_.find({state.path, state.version});
  if (copying != copying_.end() && copying->second == store) copying_.erase(copying);
}

}  // namespace dipaco
