#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/eval/score.hpp"
#include "core/prepare/prepared.hpp"
#include "core/state/module_files.hpp"
#include "core/trainer/trainer.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// What earlier processes of this run have computed, and where goes what is computed now. A role asks before it
/// computes, and hands over what it has computed: it need not know whether anything is kept.
class Archive {
 public:
  virtual ~Archive() = default;

  /// Whether an earlier process computed what this task, or this version of a module, comes to.
  virtual bool past(const AttemptId& attempt) const = 0;
  virtual bool past(ModuleId module, Version version) const = 0;
  /// What an evaluation came to, once computed; of one for routing nothing is kept.
  virtual std::optional<Score> score(const Evaluate& request) const = 0;
  /// Of a phase behind the first, once made by an earlier process.
  virtual std::optional<std::vector<Shard>> shards(std::int32_t phase) = 0;
  /// That phase's router. REQUIRES that its shards are there.
  virtual std::string router(std::int32_t phase) = 0;

  // Each takes what was computed just now, to keep it; what lies in the past it replaces by what was computed then, or
  // leaves it as it is where that is not kept.

  /// `report.done` steps of the task from step `first` on, as one attempt did them.
  virtual void settle(const AttemptId& attempt, std::int64_t first, InnerReport& report) = 0;
  /// What the attempt made of them: a whole path state, or a part that it hands back. One with a value that is not
  /// finite, which stores refuse, is not kept, but that it was so is; where it was, the state's loss is made so.
  /// REQUIRES that the losses of all its task's steps came before.
  /// @param given  TaskWork::given(), [n]: kept beside the state where that lacks it
  virtual void settle(const AttemptId& attempt, PathStateBody& state, Values& given, const InnerReport& report) = 0;
  /// What a task gives that is done once more. Nothing of it is kept.
  virtual void recall(TaskId task, Values& given) const = 0;
  /// A new version. REQUIRES that the states of all paths that have given to it came before.
  virtual void settle(ModuleId module, ModuleState& state) = 0;
  virtual void keep(const Evaluate& request, const Score& score) = 0;
  /// REQUIRES that the states and modules that its router was fitted with came before.
  virtual void keep(std::int32_t phase, const std::string& router, const std::vector<Shard>& shards) = 0;

  /// Without rounds: which versions of a module the coordinator has others keep, as tasks began with them.
  virtual void keep_only(const KeepVersions& bases) = 0;
};

/// Of a run that begins anew each time, or goes on from what its nodes have: nothing is past, nothing is kept.
class NoArchive : public Archive {
 public:
  bool past(const AttemptId& /*attempt*/) const override { return false; }
  bool past(ModuleId /*module*/, Version /*version*/) const override { return false; }
  std::optional<Score> score(const Evaluate& /*request*/) const override { return std::nullopt; }
  std::optional<std::vector<Shard>> shards(std::int32_t /*phase*/) override { return std::nullopt; }
  std::string router(std::int32_t /*phase*/) override { return {}; }
  void settle(const AttemptId& /*attempt*/, std::int64_t /*first*/, InnerReport& /*report*/) override {}
  void settle(const AttemptId& /*attempt*/, PathStateBody& /*state*/, Values& /*given*/,
              const InnerReport& /*report*/) override {}
  void recall(TaskId /*task*/, Values& /*given*/) const override {}
  void settle(ModuleId /*module*/, ModuleState& /*state*/) override {}
  void keep(const Evaluate& /*request*/, const Score& /*score*/) override {}
  void keep(std::int32_t /*phase*/, const std::string& /*router*/, const std::vector<Shard>& /*shards*/) override {}
  void keep_only(const KeepVersions& /*bases*/) override {}
};

}  // namespace dipaco
