#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>

#include "core/base/ids.hpp"
#include "core/queue/path_table.hpp"
#include "core/queue/queued_tasks.hpp"
#include "core/queue/workers.hpp"

namespace dipaco {

struct Assignment {
  PathId path{};
  NodeId worker{};
};

/// Joins the tasks that are queued and the workers that are free: which task goes out next, and to whom. Pure logic.
///
/// A path prefers its last worker, then the fastest free worker of the site where its state is, neither of which a
/// straggler counts as, then the fastest of any: AdamW's moments cross a WAN link only when a site is short of workers.
/// A call takes as long however many tasks and workers there are.
class Dispatch {
 public:
  void worker_up(NodeId node, SiteId site, double speed, bool idle = true);
  void worker_free(NodeId node) {
    ending_.erase(node);
    set_free(node, true);
  }
  void worker_gone(NodeId node);
  /// A free worker for an evaluation, taken; nullopt if there is none.
  std::optional<NodeId> take_worker();
  /// The free worker that take_worker() would take.
  std::optional<NodeId> fastest_free() const { return workers_.fastest(); }
  /// Takes this one. REQUIRES that it is free.
  void take(NodeId worker) { set_free(worker, false); }
  /// How fast it is known to be now, and whether it is a straggler: nothing goes to one for its site's or a path's
  /// sake. Nothing happens where it is none of the workers.
  void speed_is(NodeId node, double speed) { workers_.speed_is(node, speed); }
  void avoid(NodeId node, bool avoided);
  /// Its task counts, or does not any more: it will be free in a moment. As long as that is awaited of any, no
  /// straggler gets a task.
  void ends(NodeId node) {
    if (workers_.contains(node)) ending_.insert(node);
  }
  /// Whether all workers that may be given something, free or not, are among `nodes`.
  bool all_among(const std::set<NodeId>& nodes) const { return workers_.all_among(nodes); }

  /// The path's next task waits for a worker. REQUIRES that the entry's outer step and worker stay until it goes out.
  void put_in(PathId id, const PathEntry& path) { queued_.add({path.outer_step, id}, path.attempt.worker); }
  void take_out(PathId id, const PathEntry& path) { queued_.remove({path.outer_step, id}, path.attempt.worker); }
  /// Tasks from this outer step on wait, whatever else holds: at first, none does.
  void hold_from(std::int32_t outer_step) { held_from_ = outer_step; }
  /// The next path and worker to join, or nullopt. The task is queued and the worker free no more.
  /// @param can_be_had  whether what a path needs can be had now; others stay queued
  template <class CanBeHad>
  std::optional<Assignment> next(const PathTable& paths, const CanBeHad& can_be_had);

 private:
  std::optional<NodeId> worker_for(const PathEntry& path) const;
  void set_free(NodeId worker, bool free);

  Workers workers_;
  QueuedTasks queued_;
  std::set<NodeId> ending_;
  std::int32_t held_from_ = std::numeric_limits<std::int32_t>::max();
};

template <class CanBeHad>
std::optional<Assignment> Dispatch::next(const PathTable& paths, const CanBeHad& can_be_had) {
  if (queued_.empty() || !workers_.any_free()) return std::nullopt;
  const auto chosen = queued_.choose(held_from_, [&](PathId id) {
    return can_be_had(id) && (paths.at(id).spoiled_by.empty() || worker_for(paths.at(id)));
  });
  if (!chosen) return std::nullopt;
  const PathId id = chosen->second;
  const NodeId worker = *worker_for(paths.at(id));
  if (!workers_.is_ready(worker) && !ending_.empty()) return std::nullopt;
  take_out(id, paths.at(id));
  set_free(worker, false);
  return Assignment{id, worker};
}

}  // namespace dipaco
