#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/eval/score.hpp"
#include "core/plan/plan.hpp"
#include "core/state/ledger.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// What a simulation's evaluations came to, and so which values are kept for those to come. Pure logic.
class ArchiveEvaluations {
 public:
  explicit ArchiveEvaluations(const RunPlan& plan) : plan_(plan) {}

  /// @returns false where it was known
  bool add(const Evaluated& score);
  /// A phase behind the first has its shards. @returns false where that was known
  bool resharded(std::int32_t phase) { return resharded_.insert(phase).second; }
  /// What the evaluation came to, once computed.
  std::optional<Score> score(const Evaluate& request) const;
  /// What need not be kept for evaluations, if that is more than at the call before: versions that all paths were
  /// evaluated at.
  std::optional<Released> release();

 private:
  bool done(std::int32_t version, Purpose purpose) const;

  const RunPlan& plan_;
  std::map<Due, std::map<PathId, Score>> scores_;  ///< of a result: at the version of each path
  std::map<PathId, Evaluated> best_;
  std::set<std::int32_t> resharded_;
  std::int32_t released_ = 0;
};

}  // namespace dipaco
