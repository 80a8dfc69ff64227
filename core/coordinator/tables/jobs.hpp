#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/job_messages.hpp"

namespace dipaco {

/// What a worker or evaluator does beside training, in the order in which it is wanted: training waits for gradients
/// that are made again and for what makes new shards.
struct Job {
  enum class Kind : std::uint8_t { gradients, score, fit, route, stop_early, watch, result };
  Kind kind{};
  std::int32_t version = 0;  ///< that is evaluated; of fit and route the one with which their phase begins; of
                             ///< gradients the one that their task made
  PathId path{-1};           ///< none of fit and route
  std::int32_t first = 0;    ///< of the documents to route
  bool urgent() const { return kind <= Kind::route; }
  friend auto operator<=>(const Job&, const Job&) = default;
};

/// The job that evaluates the path at this version.
Job job_of(Purpose purpose, std::int32_t version, PathId path);
/// What the evaluation is for. REQUIRES a job that is one.
Purpose purpose_of(const Job& job);
/// The job that makes the gradients of a committed task again.
inline Job gradients_of(const TaskId& task) {
  return {.kind = Job::Kind::gradients, .version = version_after(task.outer_step), .path = task.path};
}

/// The jobs that wait, and who has which. Pure logic: no messages. Each call takes as long however many jobs there are.
class JobList {
 public:
  struct Given {
    Job job;
    NodeId store{-1};    ///< that the path's own modules come from
    Seconds lasting{};   ///< of its lease
    Seconds until{};     ///< when that ends
    bool asked = false;  ///< the node was asked how far it is
  };

  /// A job that is wanted; once, however often it is said.
  void want(const Job& job);
  /// It waits no more. Its lease begins.
  void give(NodeId node, Given given, Seconds now);
  /// The node was asked how far it is: its lease begins anew, twice as long. REQUIRES that it has a job.
  void wait_on(NodeId node, Seconds now);
  /// Who had it is lost, late, or free again: it waits again.
  void take_back(NodeId node);
  /// It was done, or is not wanted: @returns who was at it, and is free
  std::vector<NodeId> done(const Job& job);

  const std::set<Job>& waiting() const { return waiting_; }
  const std::map<NodeId, Given>& given() const { return given_; }
  /// The first of a kind that waits.
  std::optional<Job> first(Job::Kind kind) const;
  /// Those of the path that wait or are given.
  const std::set<Job>& of(PathId path) const;
  /// The lease that ends first, and whose it is.
  std::optional<std::pair<Seconds, NodeId>> first_lease() const;
  bool empty() const { return waiting_.empty() && given_.empty(); }
  /// Whether training waits for one of these.
  bool urgent() const { return !waiting_.empty() && waiting_.begin()->urgent(); }

 private:
  std::optional<Job> leave(NodeId node);
  void forget(const Job& job);

  std::set<Job> waiting_;
  std::map<NodeId, Given> given_;
  std::map<Job, std::set<NodeId>> at_;           ///< who is at it
  std::map<PathId, std::set<Job>> of_;           ///< waiting or given
  std::set<std::pair<Seconds, NodeId>> leases_;  ///< of those
};

}  // namespace dipaco
