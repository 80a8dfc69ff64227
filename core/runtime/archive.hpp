#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/eval/score.hpp"
#include "core/runtime/archive_writer.hpp"
#include "core/runtime/module_files.hpp"
#include "core/runtime/plan.hpp"
#include "core/runtime/state_files.hpp"
#include "core/storage/storage.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// What a simulation has computed, on disk, so that another process can go through it again without computing that
/// again (docs/decisions/0009). When things happen in a simulation does not depend on values: those of the past, whose
/// results an earlier process computed, may be anything, unless what is still to compute starts from them. That is the
/// newest version of each path and of each module, and what evaluations lack: of values the archive keeps no more.
///
/// One thread uses it, from any role; it writes on a thread of its own. Only for a run that learns.
class Archive {
 public:
  /// Reads what an earlier process left. @throws DataError where it is damaged
  Archive(const RunPlan& plan, std::unique_ptr<Storage> storage);

  /// Whether an earlier process computed what this task, or this version of a module, comes to.
  bool past(TaskId task) const;
  bool past(ModuleId module, std::int32_t version) const;
  /// The path's score, once computed.
  std::optional<Score> score(PathId path, std::int32_t version) const;

  // Each takes what was computed just now, to keep it; what lies in the past it replaces by what was computed then, or
  // leaves it as it is where that is not kept.

  /// `report.done` steps of the task from step `first` on, as one attempt did them.
  void settle(TaskId task, std::int64_t first, InnerReport& report);
  /// A whole path state. REQUIRES that the losses of all its task's steps came before.
  void settle(PathStateBody& state);
  /// A new version. REQUIRES that the states of all its paths at this version came before.
  void settle(ModuleId module, ModuleState& state);
  void keep(PathId path, std::int32_t version, const Score& score);

  /// Returns once all is on disk. @throws DataError where it cannot be; so does every call above, later.
  void flush() { writer_.flush(); }

 private:
  /// By step of a task; by an attempt that did not end it, not all are there.
  using Losses = std::vector<double>;

  void check_whole() const;
  std::uint64_t read_records();
  void read_record(std::span<const std::byte> bytes, const std::string& source);
  void release_evaluated();

  const RunPlan& plan_;
  std::unique_ptr<Storage> storage_;
  StateFiles state_files_;    ///< the writer's
  ModuleFiles module_files_;  ///< the writer's
  // The past. It stays as it was at the start.
  std::map<std::pair<PathId, std::int32_t>, Losses> losses_;
  std::map<std::pair<ModuleId, std::int32_t>, double> norms_;
  std::map<std::pair<PathId, std::int32_t>, PathStateBody> states_;
  std::map<std::pair<ModuleId, std::int32_t>, ModuleState> modules_;
  std::map<PathId, std::int32_t> path_past_;  ///< newest version
  std::map<ModuleId, std::int32_t> module_past_;
  // Up to now.
  std::map<PathId, std::int32_t> path_newest_;
  std::map<ModuleId, std::int32_t> module_newest_;
  std::map<std::int32_t, std::map<PathId, Score>> scores_;  ///< by version
  std::int32_t released_ = 0;                               ///< versions that no evaluation needs
  ArchiveWriter writer_;
};

}  // namespace dipaco
