#include "programs/shared/advice.hpp"

#include "core/base/text.hpp"
#include "core/prepare/keys.hpp"

namespace dipaco {
namespace {

/// A token that is read more often teaches ever less (Muennighoff et al. 2023).
constexpr double kMostPasses = 4;
/// The paper's outer momentum remembers ten outer steps: too many of fewer than this (docs/results/table-settings.md).
constexpr std::int64_t kFewOuterSteps = 100;
constexpr double kLongMemory = 0.7;

std::string remedy(const RunPlan& plan) {
  const RunConfig& config = plan.config;
  if (shard_passes(plan) > kMostPasses) {
    return "that is too often to learn more from it. Lower outer.steps, name more text in data.train, or keep the best "
           "versions by evaluate.early_stopping=on";
  }
  if (config.outer.steps < kFewOuterSteps && config.outer.momentum > kLongMemory && config.outer.optimizer != "sgd") {
    return "outer.momentum=" + format_number(config.outer.momentum) +
           " is for hundreds of outer steps, and these are " + std::to_string(config.outer.steps) +
           ". Try outer.momentum=0.3 and outer.learning_rate=0.9";
  }
  return "it may not have converged. Raise outer.steps, or exchange more often: more outer.steps of fewer inner.steps";
}

}  // namespace

double shard_passes(const RunPlan& plan) {
  const RunConfig& config = plan.config;
  const Prepared& prepared = plan.learner->prepared();
  const auto paths = plan.topology.paths();
  const auto tokens =
      static_cast<double>(steps_of_a_path(config, paths).value * config.inner.batch * config.model.sequence);
  double passes = 0;
  for (const Shard& shard : prepared.shards) passes += tokens / size_of(shard, *prepared.tokens);
  return passes / static_cast<double>(paths);
}

std::optional<std::string> advice(const RunPlan& plan, double perplexity) {
  const Prepared& prepared = plan.learner->prepared();
  const bool above_start = perplexity > prepared.dense_start.perplexity();
  const bool above_dense = prepared.dense_equal_steps && perplexity > prepared.dense_equal_steps->perplexity();
  if (!above_start && !above_dense) return std::nullopt;
  const std::string than = above_start ? "its dense start" : "dense training for as many steps";
  return "the model is worse than " + than + ". Each path went " + format_fixed(shard_passes(plan), 1) +
         " times through its shard; " + remedy(plan);
}

}  // namespace dipaco
