#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/coordinator/known/phase_progress.hpp"
#include "core/coordinator/tables/jobs.hpp"
#include "core/plan/plan.hpp"
#include "core/state/archive.hpp"
#include "core/storage/storage.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// Makes the shards of the phases behind the first (§2.4.2, §7.2.1), one phase after the other, out of what jobs
/// answer: every path scores all router documents; the best path of each is its label; a router is fitted to the
/// labels; with it all documents are routed. Answers are durable, and so are shards once they are ready. Of phases that
/// are over only |D_i| of each path is kept. The coordinator's.
class Resharding {
 public:
  /// Reads the shards that are there, and how far the next are. @throws DataError where they are damaged
  Resharding(const RunPlan& plan, Storage& storage, Archive& archive);

  bool has_score(PathId path, std::int32_t version) const {
    return makes(plan_.timetable.phase_of(OuterStep{version})) && progress_.has_score(path);
  }
  bool ready(std::int32_t phase) const { return phase == 0 || sizes_.contains(phase); }
  /// Whether its shards are here: it is behind the first, ready and not forgotten.
  bool has_shards(std::int32_t phase) const { return shards_.contains(phase); }
  /// REQUIRES has_shards(phase).
  ShardDocuments documents(std::int32_t phase, PathId path) const;
  /// [P]. REQUIRES has_shards(phase).
  const std::vector<Shard>& shards(std::int32_t phase) const { return shards_.at(phase); }
  /// |D_i| of each path in the phases behind the first that are ready.
  const std::map<std::int32_t, std::vector<double>>& sizes() const { return sizes_; }
  ShardSizes sizes(std::int32_t phase) const { return {phase, sizes_.at(phase)}; }
  /// No task and no evaluation is to come of the phases before this one. REQUIRES that it is ready.
  void forget_before(std::int32_t phase);
  /// Of the bytes of the last router and shards that are ready; "" where there are none behind the first phase.
  /// @throws DataError where the router has gone
  std::string hash() const;

  /// How far the phase is that is made: "3 of 4 paths have scored the router documents".
  std::string state() const { return progress_.state(); }

  // Answers. One that came before, or is not of the phase that is made, changes nothing: false.
  bool scored(PathId path, std::int32_t version, const Values& nats);
  bool fitted(const RouterFitted& fitted);
  bool routed(const DocumentsRouted& routed);

  /// The jobs that the answers so far make possible, besides scores.
  std::vector<Job> jobs() const;
  /// What a node is told that gets this job. REQUIRES one of those
  Body request(const Job& job) const;

 private:
  /// The first that is not ready; the number of phases where all are.
  std::int32_t next_phase() const { return static_cast<std::int32_t>(sizes_.size()) + 1; }
  bool makes(std::int32_t phase) const { return phase == next_phase(); }
  bool read_phase(std::int32_t phase);
  void finish(std::int32_t phase);

  const RunPlan& plan_;
  Storage& storage_;
  Archive& archive_;
  std::map<std::int32_t, std::vector<Shard>> shards_;  ///< of those that are not forgotten
  std::map<std::int32_t, std::vector<double>> sizes_;
  PhaseProgress progress_;  ///< of the first phase that is not ready
};

}  // namespace dipaco
