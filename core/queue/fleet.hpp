#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/queue/node_map.hpp"
#include "core/queue/path_entry.hpp"
#include "core/queue/site_speeds.hpp"
#include "core/queue/speeds.hpp"
#include "core/queue/task_lengths.hpp"

namespace dipaco {

/// What an inner step costs, in the unit of speeds times seconds, and how many a task has.
struct TaskCost {
  double inner_step = 1;  ///< FLOPs, where speeds are FLOPs a second
  TaskLengths lengths{1};
  Bytes state{};             ///< of a path, which it begins with
  bool rounds = true;        ///< a path waits for others after each task
  bool stays = false;        ///< at the site where its path's state is, if that has workers
  bool with_worker = false;  ///< goes to its path's last worker, if that is free
};

/// What workers do, and when they will have done it as far as that can be foreseen. Pure logic.
class Fleet {
 public:
  struct Worker {
    SiteId site{};
    double speed = 0;   ///< floating-point operations a second in training; 0: not known
    Seconds besides{};  ///< that a task takes it besides computing: transfers
    bool busy = false;
    OuterStep outer_step{};        ///< of its task
    std::optional<Seconds> until;  ///< it will be free then

    /// When it can begin a task. One that is late will need as long again as it is late.
    Seconds free_at(Seconds now) const {
      if (!until) return now;
      return *until >= now ? *until : now + (now - *until);
    }
  };

  void cost_is(TaskCost cost) { cost_ = cost; }
  const TaskCost& cost() const { return cost_; }
  /// @param idle  false: it is busy with something of which nobody knows how long it takes
  void up(NodeId node, SiteId site, double speed, bool idle);
  void gone(NodeId node);
  // Nothing happens where it is no worker (any more), or where the difference is less than a twentieth: it is noise.
  void speed_is(NodeId node, double speed);
  void takes_besides(NodeId node, Seconds besides);

  void idle(NodeId node);
  /// With something of which nobody knows how long it takes.
  void busy(NodeId node);
  /// The path's next task. REQUIRES a worker.
  void begins(NodeId node, const PathEntry& path, Seconds now);
  /// Something has come at `now` that takes nobody knows how long: it began now, and counts as late from here on.
  void look(Seconds now);

  const NodeMap<Worker>& workers() const { return workers_; }
  /// Of all of them.
  const Speeds& speeds() const { return speeds_; }
  /// What those of each site can do together.
  const SiteSpeeds& sites() const { return sites_; }
  /// Inner steps of the path's next task if the worker gets it, those that are done already too.
  std::int32_t steps_of(const Worker& worker, const PathEntry& path) const;
  /// What a whole task takes the worker. One whose speed is not known is taken for one of the fastest, until it has
  /// shown better.
  Seconds task_of(const Worker& worker) const;
  /// What the rest of the path's next task takes it.
  Seconds rest_of(const Worker& worker, const PathEntry& path) const;
  /// When the one that should be free first is late, or, where it is already, has been so for twice as long; nullopt:
  /// nobody is awaited.
  std::optional<Seconds> late_at(Seconds now) const;
  /// Another number where anything has changed.
  std::uint64_t changes() const { return changes_; }

 private:
  void set_free(NodeId node, Worker& worker);
  void set_until(NodeId node, Worker& worker, Seconds until);

  TaskCost cost_;
  NodeMap<Worker> workers_;
  std::set<NodeId> unforeseen_;  ///< busy with something of which nobody knows how long it takes
  SiteSpeeds sites_;
  Speeds speeds_;
  std::set<std::pair<Seconds, NodeId>> ends_;  ///< of what busy workers do
  std::uint64_t changes_ = 0;
};

/// What a task of so many inner steps takes the worker; none of its own, {}: one of the fastest.
Seconds task_time(const Fleet& fleet, const Fleet::Worker& worker, std::int32_t steps);

/// Whether the path's next task goes to a worker at the site of its state: unless somebody has spoilt it.
inline bool stays(const Fleet& fleet, const PathEntry& path) {
  return fleet.cost().stays && path.spoiled_by.empty() && fleet.sites().has(path.site);
}

}  // namespace dipaco
