#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "core/coordinator/known/resharding.hpp"
#include "core/coordinator/tables/awaited.hpp"
#include "core/coordinator/tables/given_tasks.hpp"
#include "core/coordinator/tables/holders.hpp"
#include "core/coordinator/tables/inquiries.hpp"
#include "core/coordinator/tables/jobs.hpp"
#include "core/coordinator/tables/lost_gradients.hpp"
#include "core/coordinator/tables/members.hpp"
#include "core/coordinator/tables/ownership.hpp"
#include "core/coordinator/tables/path_losses.hpp"
#include "core/coordinator/tables/stragglers.hpp"
#include "core/queue/durations.hpp"
#include "core/queue/task_queue.hpp"
#include "core/queue/ways.hpp"
#include "core/roles/roles.hpp"
#include "core/state/ledger.hpp"
#include "core/state/order.hpp"
#include "core/state/retention.hpp"

namespace dipaco {

/// What the coordinator knows of the run: the tables that several of its parts read and change, and the seams through
/// which they act. A part has a reference to it; what one part alone needs is that part's own.
struct RunState {
  RunState(const RunPlan& its_plan, Seams its_seams, const CoordinatorOptions& its_options);

  /// Sends, once all is durable that was noted so far.
  void send(NodeId to, Body body);
  /// The run's clock.
  Seconds now() const { return seams.compute.now(); }
  /// Asks a node that takes long how far it is.
  void inquire(NodeId node);
  /// Whether more time may help it: something has moved there, or waits for its turn on a line.
  bool hopeful(NodeId node) const;
  /// The run moves: the deadline begins anew.
  void made_progress() { progress_at = now(); }
  /// Adds an event about an attempt at the path's next task, or about the task where that is 0.
  void record(EventKind kind, PathId path, NodeId node, Epoch attempt) const;
  /// Notes, without rounds, in which order things happen: a task that counts now; and contributions that are settled.
  void note_order(PathId path);
  void note_order(const ModuleRecord& record);
  /// Notes in the journal where the path is.
  void note_path(PathId path);
  /// Whether what the path's next task begins with is at a store that is there.
  bool reachable(PathId path) const;
  /// The store of the site, or else the first. REQUIRES that there is one.
  NodeId nearest(const std::set<NodeId>& stores, SiteId site) const;
  /// The owners of the path's shared modules.
  std::vector<Owner> owners_of(PathId path) const;
  /// The store that is the site's cache: one there where the site has several workers, unless run.site_cache is off;
  /// -1: none is.
  NodeId cache_of(SiteId site) const;
  /// That of a worker's site; -1 for another node.
  NodeId cache_for(NodeId node) const;
  /// From where a worker of the site gets versions of the path's modules.
  SiteCache cache_at(SiteId site, PathId path) const;
  /// The version of the path's state before this one.
  std::int32_t state_before(PathId path, std::int32_t version) const;
  /// The version that the last outer step makes.
  std::int32_t last_version() const { return plan.timetable.end(); }
  /// Of a path: where tasks differ in length, its newest, which is its last once it is done.
  std::int32_t last_version(PathId path) const { return lengths.differ() ? queue.path(path).version : last_version(); }

  const RunPlan& plan;
  Seams seams;
  CoordinatorOptions options;
  OrderLog order;
  Ledger ledger;  ///< what must not be forgotten is in it before a message leaves that follows from it
  TaskLengths lengths;
  TaskQueue queue;
  Ownership ownership;
  StateHolders holders;
  Resharding resharding;
  Retention retention;
  Members members;
  Awaited awaited;
  GivenTasks given;
  JobList jobs;
  LostGradients lost_gradients;  ///< empty unless gradients are exchanged
  PathLosses losses;
  Inquiries inquiries;   ///< of nodes that take long
  Inquiries watched;     ///< of all, while a person looks
  Durations step_times;  ///< of workers: of an inner step, by their own clocks
  Durations task_times;  ///< of workers: of a whole task, from its assignment to its end
  Ways ways;             ///< between sites
  Stragglers stragglers;
  std::map<NodeId, HeldBack> in_reserve;  ///< workers that wait, or have since their last task, and why they began to
  RunResult result;
  Seconds progress_at{};
};

}  // namespace dipaco
