#include "core/queue/dispatch.hpp"

#include <array>
#include <utility>

#include "core/queue/most_useful.hpp"

namespace dipaco {

void Dispatch::worker_up(NodeId node, SiteId site, double speed, bool idle) {
  if (idle) ending_.erase(node);
  workers_.up(node, site, speed, idle);
  reserve_.fleet().up(node, site, speed, idle);
  queued_.worker_is(workers_.is_ready(node), node);
}

void Dispatch::worker_gone(NodeId node) {
  ending_.erase(node);
  workers_.gone(node);
  reserve_.fleet().gone(node);
  reserve_.ways().coming().ends(node);
  queued_.worker_is(false, node);
}

std::optional<NodeId> Dispatch::take_worker() {
  const auto fastest = workers_.fastest();
  if (fastest) take(*fastest);
  return fastest;
}

void Dispatch::worker_free(NodeId node) {
  ending_.erase(node);
  reserve_.fleet().idle(node);
  reserve_.ways().coming().ends(node);
  set_free(node, true);
}

void Dispatch::take(NodeId worker) {
  reserve_.fleet().busy(worker);
  set_free(worker, false);
}

void Dispatch::speed_is(NodeId node, double speed) {
  workers_.speed_is(node, speed);
  reserve_.fleet().speed_is(node, speed);
}

void Dispatch::take_out(PathId id, const PathEntry& path) {
  const QueuedTasks::Task task{reserve_.fleet().cost().lengths.turn_of(path), id};
  queued_.remove(task, path.attempt.worker);
  reserve_.ways().planned_homes().remove(task);
  refused_.all_are(false);
}

void Dispatch::hold_from(OuterStep outer_step) {
  held_from_ = outer_step;
  refused_.all_are(false);
}

void Dispatch::put_in(PathId id, const PathEntry& path) {
  refused_.all_are(false);
  if (path.last_epoch > 0) reserve_.foresee_anew();  // it was given out before
  const QueuedTasks::Task task{reserve_.fleet().cost().lengths.turn_of(path), id};
  queued_.add(task, path.attempt.worker);
  if (path.site == kNowhere) reserve_.ways().planned_homes().add(task);
}

std::vector<HeldBack> Dispatch::held_back(const PathTable& paths, Seconds now) {
  std::vector<HeldBack> all;
  const auto step = queued_.step_from(OuterStep{0});
  if (!step || *step >= held_from_ || !reserve_.matters()) return all;
  const OuterStep round = reserve_.fleet().cost().lengths.round_of(*step);
  const std::pair state(reserve_.foresee(now), round);
  if (std::exchange(told_, state) == state) return all;
  for (const NodeId worker : workers_.free()) {
    if (const auto held = reserve_.holds_back(worker, round, paths, now)) all.push_back(*held);
  }
  return all;
}

std::optional<Seconds> Dispatch::looks_again_at(Seconds now) const {
  return queued_.empty() || !workers_.any_free() ? std::nullopt : reserve_.looks_again_at(now);
}

/// Whom the path's task may go to now: one that has spoiled it only where all have, and nobody who rather waits, unless
/// it is spoiled.
std::optional<NodeId> Dispatch::worker_for(PathId id, const PathTable& paths, Seconds now) {
  const PathEntry& path = paths.at(id);
  const bool all_spoil = all_among(path.spoiled_by);
  const Fleet& fleet = reserve_.fleet();
  const bool at_site = stays(fleet, path);
  const auto may = [&](NodeId worker) {
    if (at_site && fleet.workers().find(worker)->site != path.site) return false;
    if (!path.spoiled_by.empty()) return all_spoil || !path.spoiled_by.contains(worker);
    return !reserve_.matters() || reserve_.takes(worker, path, paths, now);
  };
  const bool may_be_refused = reserve_.matters() && path.spoiled_by.empty() && path.inner_steps == 0;
  const NodeId last = path.attempt.worker;
  const bool last_may = workers_.is_ready(last) && may(last);
  if (fleet.cost().lengths.differ() && !(last_may && fleet.cost().with_worker)) {
    const std::array some{last_may ? std::optional(last) : std::nullopt, workers_.nearest(path.site, may),
                          workers_.nearest(kNowhere, may)};
    const auto chosen = most_useful(path, some, fleet, reserve_.ways());
    if (!chosen && may_be_refused) refused_.add(path, {reserve_, workers_, paths, now});
    return chosen;
  }
  if (last_may) return last;
  return may_be_refused ? refused_.nearest(path, {reserve_, workers_, paths, now}) : workers_.nearest(path.site, may);
}

void Dispatch::set_free(NodeId worker, bool free) {
  if (workers_.set_free(worker, free)) queued_.worker_is(workers_.is_ready(worker), worker);
}

void Dispatch::avoid(NodeId node, bool avoided) {
  workers_.avoid(node, avoided);
  queued_.worker_is(workers_.is_ready(node), node);
}

}  // namespace dipaco
