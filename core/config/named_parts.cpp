#include "core/config/named_parts.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/named.hpp"
#include "core/config/run_config.hpp"
#include "core/outer/asynchronous.hpp"
#include "core/outer/buffer.hpp"
#include "core/outer/delayed_nesterov.hpp"
#include "core/outer/hierarchical.hpp"
#include "core/outer/optimizers.hpp"
#include "core/outer/quorum.hpp"
#include "core/trainer/schedule.hpp"

namespace dipaco {
namespace {

using MadeOptimizer = std::unique_ptr<const OuterOptimizer>;

MadeOptimizer make_nesterov(const RunConfig& config, const OptimizerUse& /*use*/) {
  return std::make_unique<OuterNesterov>(
      NesterovOptions{.rate = config.outer.learning_rate, .momentum = config.outer.momentum});
}

MadeOptimizer make_delayed_nesterov(const RunConfig& config, const OptimizerUse& /*use*/) {
  const OuterOptions& outer = config.outer;
  return std::make_unique<OuterDelayedNesterov>(DelayedNesterovOptions{
      .rate = outer.learning_rate, .momentum = outer.momentum, .between = outer.c, .delay = outer.delay});
}

StalenessOptions staleness_of(const RunConfig& config) {
  return {.polynomial = config.outer.staleness_weight == "polynomial",
          .max_staleness = config.outer.max_staleness,
          .buffer = config.outer.buffer};
}

AsynchronousOptions asynchronous_options(const RunConfig& config) {
  return {
      .late = staleness_of(config), .delay_compensation = config.outer.delay_compensation, .grace = config.outer.grace};
}

SyncPolicy make_asynchronous(const RunConfig& config) {
  SyncPolicy policy = asynchronous_policy(asynchronous_options(config));
  if (config.outer.buffer > 1) policy.optimizer = "nesterov";
  return policy;
}

SyncPolicy make_hierarchical(const RunConfig& config) {
  SyncPolicy policy = hierarchical_policy(asynchronous_options(config),
                                          {.every = config.outer.merge_every, .weight = config.outer.merge_weight});
  if (config.outer.buffer > 1) policy.optimizer = "nesterov";
  return policy;
}

SyncPolicy make_quorum(const RunConfig& config) {
  return quorum_policy({.quorum = config.outer.quorum,
                        .grace = config.outer.grace,
                        .grace_share = config.outer.grace_share,
                        .late = staleness_of(config)});
}

MadeOptimizer make_sgd(const RunConfig& config, const OptimizerUse& /*use*/) {
  return std::make_unique<OuterSgd>(config.outer.learning_rate);
}

/// A version is an inner step: counts, schedule and moments go on from the dense start.
MadeOptimizer make_inner_adamw(const RunConfig& config, InnerSteps start) {
  const InnerSteps total = start + InnerSteps{config.outer.steps};
  const auto options = [inner = config.inner, start, total](Version version) {
    const InnerSteps step = start + InnerSteps{number(version)};
    return AdamWStep{.learning_rate = learning_rate_at(inner, step, total),
                     .beta1 = inner.beta1,
                     .beta2 = inner.beta2,
                     .epsilon = inner.epsilon,
                     .weight_decay = inner.weight_decay,
                     .count = step.value + 1};
  };
  return std::make_unique<OuterAdamW>(options, true);
}

/// On gradients it is the inner optimizer, with the keys of [inner].
MadeOptimizer make_adamw(const RunConfig& config, const OptimizerUse& use) {
  if (use.exchange == Exchange::gradients) return make_inner_adamw(config, use.start);
  const auto options = [outer = config.outer](Version version) {
    return AdamWStep{.learning_rate = outer.learning_rate,
                     .beta1 = outer.beta1,
                     .beta2 = outer.beta2,
                     .epsilon = outer.epsilon,
                     .weight_decay = outer.weight_decay,
                     .count = std::int64_t{number(version)} + 1};
  };
  return std::make_unique<OuterAdamW>(options, false);
}

template <class Row>
bool no_name_twice(const std::vector<Row>& rows) {
  std::set<std::string_view> names;
  return std::ranges::all_of(rows, [&](const Row& row) { return names.insert(row.name).second; });
}

}  // namespace

std::vector<NamedPolicy> built_in_policies() {
  std::vector<NamedPolicy> rows;
  for (const SyncPolicy& policy : sync_policies()) {
    rows.push_back({.name = policy.name, .make = [policy](const RunConfig& /*config*/) { return policy; }});
  }
  rows.push_back({.name = "asynchronous", .make = make_asynchronous});
  rows.push_back({.name = "quorum", .make = make_quorum});
  rows.push_back({.name = "hierarchical", .make = make_hierarchical});
  return rows;
}

std::vector<NamedOptimizer> built_in_optimizers() {
  return {{.name = "nesterov", .make = make_nesterov},
          {.name = "sgd", .make = make_sgd},
          {.name = "delayed_nesterov", .make = make_delayed_nesterov},
          {.name = "adamw", .make = make_adamw, .takes_gradients = true}};
}

std::shared_ptr<const NamedParts> built_in_parts() {
  static const auto kParts = std::make_shared<const NamedParts>();
  return kParts;
}

SyncPolicy make_policy(const RunConfig& config) {
  const NamedPolicy& row = find_named(config.parts->policies, config.outer.policy, "outer.policy");
  SyncPolicy policy = row.make(config);
  policy.name = row.name;
  // What is added there is not the values as they came, so stores add nothing up.
  if (config.outer.averaging != "mean") policy.adds_shares = false;
  check(policy.rounds || !policy.gathers || policy.start->grace() == Seconds(0),
        "a policy without rounds whose modules gather has no grace of its paths");
  check(!policy.adds_shares || (policy.rounds && policy.exchange == Exchange::parameters && policy.combine == nullptr),
        "contributions that may be added before they arrive are parameters, in rounds, and as they came");
  return policy;
}

const NamedOptimizer& named_optimizer(const RunConfig& config, const SyncPolicy& policy) {
  const std::string& name = config.outer.optimizer;
  return find_named(config.parts->optimizers, name == "auto" ? policy.optimizer : name, "outer.optimizer");
}

std::unique_ptr<const OuterOptimizer> make_optimizer(const RunConfig& config, const SyncPolicy& policy,
                                                     InnerSteps start) {
  auto made = named_optimizer(config, policy).make(config, {.exchange = policy.exchange, .start = start});
  if (config.outer.buffer == 1) return made;
  return std::make_unique<OuterBuffer>(std::move(made), config.outer.buffer);
}

std::unique_ptr<const OuterRegional> make_regional_optimizer(const RunConfig& config, const SyncPolicy& policy,
                                                             InnerSteps start) {
  if (!policy.merge) return nullptr;
  return std::make_unique<OuterRegional>(make_optimizer(config, policy, start), *policy.merge);
}

/// As an outer optimizer is made, from the keys for global parts in place of the others.
std::unique_ptr<const OuterOptimizer> make_global_optimizer(const RunConfig& config, const SyncPolicy& policy,
                                                            InnerSteps start) {
  if (!policy.merge) return nullptr;
  RunConfig global = config;
  global.outer.learning_rate = config.outer.global_learning_rate;
  global.outer.momentum = config.outer.global_momentum;
  global.outer.delay = config.outer.global_delay;
  global.outer.c = 0;
  const std::string& name = config.outer.global_optimizer;
  const NamedOptimizer& row =
      find_named(config.parts->optimizers, name == "auto" ? "delayed_nesterov" : name, "outer.global_optimizer");
  return row.make(global, {.exchange = policy.exchange, .start = start});
}

std::shared_ptr<const Schedule> make_schedule(const RunConfig& config) {
  return find_named(config.parts->schedules, config.run.schedule, "run.schedule").schedule;
}

void check_names(const NamedParts& parts) {
  check(no_name_twice(parts.policies), "each policy has a name of its own");
  check(no_name_twice(parts.optimizers), "each outer optimizer has a name of its own");
  check(std::ranges::find(parts.optimizers, "auto", &NamedOptimizer::name) == parts.optimizers.end(),
        "no outer optimizer has the name auto");
  check(no_name_twice(parts.schedules), "each schedule has a name of its own");
  check(no_name_twice(parts.routers), "each routing method has a name of its own");
  check(std::ranges::all_of(parts.routers, [](const RoutingMethod& row) { return row.read != nullptr; }),
        "each routing method reads its routers back");
}

}  // namespace dipaco
