#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/base/ids.hpp"
#include "core/config/run_config.hpp"
#include "core/data/shard_reader.hpp"
#include "core/eval/score.hpp"
#include "core/prepare/prepared.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// A trainer with the data of every path: what a worker needs to learn. Thread-safe, immutable.
class Learner {
 public:
  Learner(const RunConfig& config, std::shared_ptr<const Prepared> prepared, std::shared_ptr<const Trainer> trainer);

  const Prepared& prepared() const { return *prepared_; }
  const Trainer& trainer() const { return *trainer_; }
  /// Up to `count` inner steps of `path` from `state`, in place (Alg. 1 lines 5-9).
  InnerReport inner_steps(PathId path, TrainState& state, InnerSteps count, const std::atomic<bool>& stop) const;
  /// The path's validation documents under `parameters`.
  Score evaluate(PathId path, std::span<const float> parameters) const;
  /// Tokens of the path's validation documents.
  Tokens evaluated_tokens(PathId path) const;

 private:
  std::shared_ptr<const Prepared> prepared_;
  std::shared_ptr<const Trainer> trainer_;
  std::vector<ShardReader> readers_;  ///< [P]
  InnerSteps total_;
  ScoreOptions score_;
};

}  // namespace dipaco
