#include "core/plan/plan.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/config/fit.hpp"
#include "core/config/named_parts.hpp"
#include "core/config/run_file.hpp"
#include "core/plan/charged_text.hpp"

namespace dipaco {
namespace {

/// The same table over the charged model: learned block j of B stands for the charged blocks from j Bc / B on. Regional
/// parts are as large as what they are parts of.
Topology charged_topology(const Topology& topology, std::int64_t blocks, std::int64_t charged_blocks) {
  if (charged_blocks < blocks) {
    throw ConfigError("[charge] blocks=" + std::to_string(charged_blocks) + " is below [model] blocks=" +
                      std::to_string(blocks) + "; charge at least as many, so that every module has a size");
  }
  std::vector<Level> levels;
  for (std::int32_t l = 0; l < topology.levels(); ++l) {
    Level level = topology.level(l);
    level.experts = static_cast<std::int32_t>(std::ranges::count_if(
        topology.modules(), [&](ModuleId module) { return module.level == l && !topology.is_regional(module); }));
    const auto learned = std::exchange(level.blocks, {});
    for (const std::int64_t block : learned) {
      const std::int64_t end = (block + 1) * charged_blocks / blocks;
      for (std::int64_t b = block * charged_blocks / blocks; b < end; ++b) level.blocks.push_back(b);
    }
    levels.push_back(std::move(level));
  }
  std::vector<std::int32_t> table;
  for (std::int32_t p = 0; p < topology.paths(); ++p) {
    for (std::int32_t l = 0; l < topology.levels(); ++l)
      table.push_back(topology.whole(topology.module(PathId{p}, l)).expert);
  }
  return {std::move(levels), std::move(table)};
}

/// Of a model of which nothing is learned: each level has a part, without parameters.
PathLayout empty_layout(const Topology& topology) {
  return {.levels = std::vector<LevelSlice>(static_cast<std::size_t>(topology.levels()))};
}

std::vector<double> shard_weights(const RunConfig& config, const Topology& topology, const Prepared* prepared) {
  std::vector<double> weights(static_cast<std::size_t>(topology.paths()), 1.0);
  if (prepared == nullptr || config.outer.weighting != "shard_size") return weights;
  for (std::size_t p = 0; p < weights.size(); ++p) weights[p] = size_of(prepared->shards[p], *prepared->tokens);
  return weights;
}

}  // namespace

Flops charged_step(const RunConfig& config) {
  const ChargeOptions charge = config.charge.value_or(ChargeOptions{config.model, config.inner});
  const std::int64_t tokens = charge.inner.batch * charge.model.sequence;
  const double again = config.inner.recompute ? recompute_flops(charge.model, tokens) : 0;
  return Flops{inner_step_flops(charge.model, tokens) + again};
}

RunPlan make_plan(const RunConfig& config, std::shared_ptr<const Prepared> prepared,
                  std::shared_ptr<const Trainer> trainer, LearnerThreads threads) {
  check_outer(config, config.name, {});
  const SyncPolicy policy = make_policy(config);
  Topology topology = make_topology(config.topology, config.model, config.folder);
  const bool learns = prepared != nullptr;
  const bool scores = learns || charged_text(config, topology.paths());
  PathLayout layout = learns ? make_layout(config.model, topology) : empty_layout(topology);
  const ChargeOptions charge = config.charge.value_or(ChargeOptions{config.model, config.inner});
  PathLayout charged = make_layout(charge.model, charged_topology(topology, config.model.blocks, charge.model.blocks));
  const double steps_ratio = static_cast<double>(charge.inner.steps) / static_cast<double>(config.inner.steps);
  const Flops step = steps_ratio * charged_step(config);
  const Flops token{inner_step_flops(charge.model, 1) / 3.0};
  auto weights = shard_weights(config, topology, prepared.get());
  const std::int32_t paths = topology.paths();
  auto learner = learns ? std::make_unique<const Learner>(config, std::move(prepared), std::move(trainer), threads,
                                                          policy.exchange)
                        : std::make_unique<const Learner>(config, paths);
  const InnerSteps start = learner->prepared().start.step;
  std::string prepared_hash = learner->prepared().hash;
  return {.config = config,
          .topology = std::move(topology),
          .layout = std::move(layout),
          .charged = std::move(charged),
          .inner_step_cost = step,
          .evaluated_token_cost = token,
          .shard_weights = std::move(weights),
          .policy = policy,
          .schedule = make_schedule(config),
          .optimizer = make_optimizer(config, policy, start),
          .regional_optimizer = make_regional_optimizer(config, policy, start),
          .global_optimizer = make_global_optimizer(config, policy, start),
          .learner = std::move(learner),
          .scores = scores,
          .timetable = Timetable(config, paths, scores),
          .config_hash = config_hash(config),
          .prepared_hash = std::move(prepared_hash)};
}

std::uint64_t shared_size(const Topology& topology, const PathLayout& layout, PathId path) {
  return layout.size - specific_size(topology, layout, path);
}

std::uint64_t specific_size(const Topology& topology, const PathLayout& layout, PathId path) {
  std::uint64_t size = 0;
  for (std::int32_t l = 0; l < topology.levels(); ++l) {
    if (topology.path_specific(topology.module(path, l))) size += layout.levels[static_cast<std::size_t>(l)].size;
  }
  return size;
}

}  // namespace dipaco
