#include "core/queue/dispatch.hpp"

namespace dipaco {

void Dispatch::worker_up(NodeId node, SiteId site, double speed, bool idle) {
  if (idle) ending_.erase(node);
  workers_.up(node, site, speed, idle);
  queued_.worker_is(workers_.is_ready(node), node);
}

void Dispatch::worker_gone(NodeId node) {
  ending_.erase(node);
  workers_.gone(node);
  queued_.worker_is(false, node);
}

std::optional<NodeId> Dispatch::take_worker() {
  const auto fastest = workers_.fastest();
  if (fastest) set_free(*fastest, false);
  return fastest;
}

/// Whom the path's task may go to now: one that has spoiled it only where all have.
std::optional<NodeId> Dispatch::worker_for(const PathEntry& path) const {
  static const std::set<NodeId> kNobody;
  const auto& but = all_among(path.spoiled_by) ? kNobody : path.spoiled_by;
  if (workers_.is_ready(path.attempt.worker) && !but.contains(path.attempt.worker)) return path.attempt.worker;
  return workers_.nearest(path.site, but);
}

void Dispatch::set_free(NodeId worker, bool free) {
  if (workers_.set_free(worker, free)) queued_.worker_is(workers_.is_ready(worker), worker);
}

void Dispatch::avoid(NodeId node, bool avoided) {
  workers_.avoid(node, avoided);
  queued_.worker_is(workers_.is_ready(node), node);
}

}  // namespace dipaco
