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
#include "core/state/archive.hpp"
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

/// The archive of a simulation: what it has computed, in a storage, so that another process can go through it again
/// without computing that again (docs/decisions/0009). When things happen in a simulation does not depend on values:
/// those of the past, whose results an earlier process computed, may be anything, unless what is still to compute
/// starts from them. That is the newest version of each path and of each module, without rounds the versions that open
/// tasks began with, and what evaluations lack: of values the archive keeps no more.
///
/// One thread uses it, from any role; it writes on a thread of its own. Only for a run that learns.
class SimulationArchive : public Archive {
 public:
  /// Reads what an earlier process left. @throws DataError where it is damaged
  SimulationArchive(const RunPlan& plan, std::unique_ptr<Storage> storage);

  bool past(const AttemptId& attempt) const override { return past_.has(attempt); }
  bool past(ModuleId module, Version version) const override { return past_.has(module, version); }
  std::optional<Score> score(const Evaluate& request) const override { return evaluations_.score(request); }
  /// Read when they are asked for: one phase's at a time are in memory.
  std::optional<std::vector<Shard>> shards(std::int32_t phase) override;
  std::string router(std::int32_t phase) override { return phase_routing(phase).router; }

  void settle(const AttemptId& attempt, std::int64_t first, InnerReport& report) override;
  void settle(const AttemptId& attempt, PathStateBody& state, Values& given, const InnerReport& report) override;
  void recall(TaskId task, Values& given) const override;
  void settle(ModuleId module, ModuleState& state) override;
  void keep(const Evaluate& request, const Score& score) override;
  void keep(std::int32_t phase, const std::string& router, const std::vector<Shard>& shards) override;
  void keep_only(const KeepVersions& bases) override;

  /// Returns once all is on disk. @throws DataError where it cannot be; so does every call above, later.
  void flush() { writer_.flush(); }

 private:
  SimulationArchive(const RunPlan& plan, std::unique_ptr<Storage>& storage, const ArchiveJournal& journal);
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
