#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/eval/score.hpp"
#include "core/plan/plan.hpp"
#include "core/state/archive_evaluations.hpp"
#include "core/state/archive_past.hpp"
#include "core/state/archive_records.hpp"
#include "core/state/archive_writer.hpp"
#include "core/state/module_files.hpp"
#include "core/state/phase_files.hpp"
#include "core/state/state_files.hpp"
#include "core/storage/storage.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// What a simulation has computed, on disk, so that another process can go through it again without computing that
/// again (docs/decisions/0009). When things happen in a simulation does not depend on values: those of the past, whose
/// results an earlier process computed, may be anything, unless what is still to compute starts from them. That is the
/// newest version of each path and of each module, without rounds the versions that open tasks began with, and what
/// evaluations lack: of values the archive keeps no more.
///
/// One thread uses it, from any role; it writes on a thread of its own. Only for a run that learns.
class Archive {
 public:
  /// Reads what an earlier process left. @throws DataError where it is damaged
  Archive(const RunPlan& plan, std::unique_ptr<Storage> storage);

  /// Whether an earlier process computed what this task, or this version of a module, comes to.
  bool past(const AttemptId& attempt) const { return past_.has(attempt); }
  bool past(ModuleId module, Version version) const { return past_.has(module, version); }
  /// What an evaluation came to, once computed; of one for routing nothing is kept.
  std::optional<Score> score(const Evaluate& request) const { return evaluations_.score(request); }
  /// Of a phase behind the first, once made by an earlier process. Read when they are asked for: one phase's at a time
  /// are in memory.
  std::optional<std::vector<Shard>> shards(std::int32_t phase);
  /// That phase's router. REQUIRES that its shards are there.
  std::string router(std::int32_t phase) { return phase_routing(phase).router; }

  // Each takes what was computed just now, to keep it; what lies in the past it replaces by what was computed then, or
  // leaves it as it is where that is not kept.

  /// `report.done` steps of the task from step `first` on, as one attempt did them.
  void settle(const AttemptId& attempt, std::int64_t first, InnerReport& report);
  /// What the attempt made of them: a whole path state, or a part that it hands back. One with a value that is not
  /// finite, which stores refuse, is not kept, but that it was so is; where it was, the state's loss is made so.
  /// REQUIRES that the losses of all its task's steps came before.
  /// @param given  TaskWork::given(), [n]: kept beside the state where that lacks it
  void settle(const AttemptId& attempt, PathStateBody& state, Values& given, const InnerReport& report);
  /// What a task gives that is done once more. Nothing of it is kept.
  void recall(TaskId task, Values& given) const;
  /// A new version. REQUIRES that the states of all its paths at this version came before.
  void settle(ModuleId module, ModuleState& state);
  void keep(const Evaluate& request, const Score& score);
  /// REQUIRES that the states and modules that its router was fitted with came before.
  void keep(std::int32_t phase, const std::string& router, const std::vector<Shard>& shards);

  /// Without rounds: which versions of a module the coordinator has others keep, as tasks began with them.
  void keep_only(const KeepVersions& bases);

  /// Returns once all is on disk. @throws DataError where it cannot be; so does every call above, later.
  void flush() { writer_.flush(); }

 private:
  Archive(const RunPlan& plan, std::unique_ptr<Storage>& storage, const ArchiveJournal& journal);
  const PhaseRouting& phase_routing(std::int32_t phase);
  void release_evaluated();

  bool keeps_gradients_;  ///< states lack what their tasks gave
  std::unique_ptr<Storage> storage_;
  StateFiles state_files_;    ///< the writer's
  ModuleFiles module_files_;  ///< the writer's
  PhaseFiles phase_files_;    ///< what it keeps is the writer's, what it reads was there before
  ArchivePast past_;
  ArchiveEvaluations evaluations_;
  std::map<PathId, std::int32_t> newest_;            ///< state of each path that is kept, or was
  std::set<std::pair<ModuleId, Version>> versions_;  ///< the same of modules
  ArchiveWriter writer_;
};

}  // namespace dipaco
