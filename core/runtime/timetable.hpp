#pragma once

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
  /// @param learns  whether anything is learned; nothing takes place otherwise
  Timetable(const RunConfig& config, bool learns);

  std::int32_t phases() const { return static_cast<std::int32_t>(begins_.size()); }
  /// The outer step with which a phase begins: the version of all paths that its router is fitted with.
  std::int32_t begin(std::int32_t phase) const { return begins_[static_cast<std::size_t>(phase)]; }
  /// Whose shards this outer step trains on.
  std::int32_t phase_of(std::int32_t outer_step) const;
  /// Whose shards a version is evaluated on: those of the outer step that made it.
  std::int32_t phase_of_version(std::int32_t version) const { return version == 0 ? 0 : phase_of(version - 1); }

  /// The evaluations of every path that are due at this version, but for the result's, in Purpose's order.
  std::vector<Purpose> due(std::int32_t version) const;
  /// Whether one of them needs what has this version while training goes on.
  bool kept(std::int32_t version) const { return version < outer_steps_ && !due(version).empty(); }
  bool stops_early() const { return stops_early_; }

 private:
  std::int32_t outer_steps_;
  std::int32_t every_;  ///< versions between evaluations; 0: none on the way
  bool stops_early_;
  std::vector<std::int32_t> begins_;  ///< by phase, ascending; 0 first
};

}  // namespace dipaco
