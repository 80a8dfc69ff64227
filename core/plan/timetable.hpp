#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/ids.hpp"
#include "core/config/run_config.hpp"
#include "core/transport/job_messages.hpp"

namespace dipaco {

/// What takes place at which outer step, beside training: pure functions of the run file.
///
/// A run has phases (§2.4.2): phase 0 trains on the prepared shards, each later one on shards that are made when all
/// paths have done routing.reshard_at outer steps.
class Timetable {
 public:
  /// @param scores  whether anything is scored and re-sharded: there is a text, or one is charged
  /// @throws ConfigError where routing.reshard_at is no list of outer steps
  Timetable(const RunConfig& config, std::int32_t paths, bool scores);

  // Path sampling (§2.6.2): a drawn share of the paths trains at each outer step; or routing.active_paths of them.

  /// Whether the path trains at this outer step; at none behind the last.
  bool trains(PathId path, OuterStep outer_step) const;
  /// How many paths train at an outer step. REQUIRES one of the run
  std::int32_t trained_paths(OuterStep outer_step) const;
  /// At any outer step.
  std::int32_t most_trained_paths() const {
    return active_.empty() ? drawn_paths_ : *std::ranges::max_element(active_);
  }
  /// Tasks of all paths in all outer steps; 0 where they differ in length (inner.dylu), which their number depends on.
  std::int64_t tasks() const { return tasks_; }
  /// Inner steps of all of them.
  std::int64_t inner_steps() const { return inner_steps_; }
  /// last_version() of the run file.
  std::int32_t end() const { return outer_steps_; }
  /// The first outer step from this one on at which the path trains; that behind the last where there is none.
  OuterStep next_trained(PathId path, OuterStep outer_step) const;
  /// The version of the path's newest state where its modules have this version: made by the last outer step before it
  /// at which the path trained. 0: the prepared start.
  std::int32_t state_version(PathId path, std::int32_t version) const;
  /// Tasks of a path before this outer step.
  std::int32_t tasks_before(PathId path, OuterStep outer_step) const;

  /// 1, and one more for each outer step that routing.reshard_at names.
  std::int32_t phases() const { return static_cast<std::int32_t>(begins_.size()); }
  /// The outer step with which a phase begins: the version of all paths that its router is fitted with.
  OuterStep begin(std::int32_t phase) const { return begins_[static_cast<std::size_t>(phase)]; }
  /// Whose shards this outer step trains on.
  std::int32_t phase_of(OuterStep outer_step) const;
  /// Whose shards a version is evaluated on: those of the outer step that made it.
  std::int32_t phase_of_version(std::int32_t version) const {
    return version == 0 ? 0 : phase_of(OuterStep{version - 1});
  }

  /// The evaluations of every path that are due at this version, but for the result's, in Purpose's order.
  std::vector<Purpose> due(std::int32_t version) const;
  /// Whether one of them needs what has this version while training goes on.
  bool kept(std::int32_t version) const { return version < outer_steps_ && !due(version).empty(); }
  /// Whether the result is each path's version with the lowest loss on its hold-out (§2.7).
  bool stops_early() const { return stops_early_; }

 private:
  using Steps = std::vector<OuterStep>;
  void draw_paths(const RunConfig& config);
  /// Where the path's outer steps from this one on begin. REQUIRES that paths are drawn.
  Steps::const_iterator from(PathId path, OuterStep outer_step) const;
  const Steps& drawn(PathId path) const { return drawn_[static_cast<std::size_t>(index(path))]; }

  std::int32_t paths_;
  std::int32_t drawn_paths_;
  std::vector<std::int32_t> active_;  ///< [T] routing.active_paths; empty where it is
  std::int64_t tasks_;
  std::int64_t inner_steps_;
  std::int32_t outer_steps_;  ///< T; where tasks differ in length, as many as if each had one inner step
  std::vector<Steps> drawn_;  ///< [P] outer steps of each path, ascending; empty where all paths train always
  std::int32_t every_;        ///< versions between evaluations; 0: none on the way
  bool stops_early_;
  Steps begins_;  ///< by phase, ascending; 0 first
};

}  // namespace dipaco
