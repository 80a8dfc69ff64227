#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/plan/plan.hpp"
#include "core/state/archive_records.hpp"
#include "core/state/module_files.hpp"
#include "core/state/state_files.hpp"

namespace dipaco {

/// What earlier processes of a simulation computed. It stays as it was when this process began.
class ArchivePast {
 public:
  /// By step of a task; of an attempt that did not end it, not all are there.
  using Losses = std::vector<double>;

  /// @throws DataError where something is missing
  ArchivePast(const RunPlan& plan, const StateFiles& states, const ModuleFiles& modules,
              std::span<const ArchiveRecord> records);

  /// Whether the attempt's steps were computed.
  bool has(const AttemptId& attempt) const { return has(attempt.task) || refused(attempt) != nullptr; }
  bool has(TaskId task) const { return newest(task.path) > number(task.outer_step); }
  bool has(ModuleId module, Version version) const { return norms_.contains({module, version}); }

  /// Losses of the steps [first, end) of a task that is there. @throws DataError where they are not all there
  std::span<const double> losses(TaskId task, std::size_t first, std::size_t end) const;
  /// Of the attempt's own steps, where its state was not finite; else null.
  const Losses* refused(const AttemptId& attempt) const;
  /// Of the outer gradient that made this version. REQUIRES has(module, version)
  double norm(ModuleId module, Version version) const { return norms_.at({module, version}); }
  /// Null where the values are not kept.
  const PathStateBody* state(PathId path, std::int32_t version) const;
  /// What the task gave that made the state: its parameters, or where gradients are exchanged its gradient. Null
  /// where it is not kept.
  const Values* given(PathId path, std::int32_t version) const;
  const ModuleState* module(ModuleId module, Version version) const;
  /// The path's newest state; 0: none.
  std::int32_t newest(PathId path) const;
  /// All versions that were made.
  std::set<std::pair<ModuleId, Version>> versions() const;

 private:
  using Attempted = std::tuple<PathId, OuterStep, Epoch>;
  static Attempted key(const AttemptId& attempt) { return {attempt.task.path, attempt.task.outer_step, attempt.epoch}; }

  void read(const LossRecord& loss);
  void read_values(const StateFiles& states, const ModuleFiles& modules);
  void read_norms(std::span<const ArchiveRecord> records);
  void check_whole() const;
  bool whole(ModuleId module, PathId path) const;

  const RunPlan& plan_;
  std::map<std::pair<PathId, OuterStep>, Losses> losses_;
  std::map<Attempted, Losses> refused_;
  std::map<std::pair<ModuleId, Version>, double> norms_;
  std::map<ModuleId, Version> last_;  ///< that was made; without rounds not always the greatest
  std::map<std::pair<PathId, std::int32_t>, PathStateBody> states_;
  std::map<std::pair<PathId, std::int32_t>, Values> given_;
  std::map<PathId, std::int32_t> newest_;
  std::map<std::pair<ModuleId, Version>, ModuleState> modules_;
};

}  // namespace dipaco
