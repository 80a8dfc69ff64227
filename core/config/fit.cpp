#include "core/config/fit.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/named.hpp"
#include "core/config/checks.hpp"
#include "core/faults/kinds.hpp"
#include "core/faults/parse.hpp"
#include "core/model/topology.hpp"
#include "core/outer/policies.hpp"

namespace dipaco {
namespace {

void check_model(const Checks& checks, const ModelOptions& model, const std::string& section) {
  const std::string heads = section + ".heads";
  checks.require(model.key_value_heads == 0 || model.heads % model.key_value_heads == 0, heads, "is no multiple of",
                 section + ".key_value_heads", "every key and value head serves as many heads");
  checks.require(model.head_size % 2 == 0, section + ".head_size", "is odd", "",
                 "rotary positions turn pairs, so write an even one");
}

void check_inner(const Checks& checks, const InnerOptions& inner) {
  checks.require(inner.final_learning_rate <= inner.learning_rate, "inner.final_learning_rate", "is above",
                 "inner.learning_rate", "the cosine falls, so write a lower one");
}

void check_rows(const Checks& checks) {
  const RunConfig& config = checks.config();
  checks.require(config.routing.prefix < config.model.sequence, "routing.prefix", "is not below", "model.sequence",
                 "a row needs tokens behind the prefix");
  checks.require(config.routing.label_tokens == 0 || config.routing.prefix < config.routing.label_tokens,
                 "routing.label_tokens", "is not above", "routing.prefix", "the prefix is not in the loss");
  checks.require(config.evaluate.sequence == 0 || config.routing.prefix < config.evaluate.sequence, "evaluate.sequence",
                 "is not above", "routing.prefix", "a row needs tokens behind the prefix");
  checks.require(config.pretrain.micro_batches <= config.inner.batch, "pretrain.micro_batches", "is above",
                 "inner.batch", "a micro-batch needs a row at least");
  checks.require(config.inner.ranks <= config.inner.batch, "inner.ranks", "is above", "inner.batch",
                 "a rank needs a row at least");
}

void check_phases(const Checks& checks) {
  const RunConfig& config = checks.config();
  std::vector<std::int64_t> steps;
  try {
    steps = reshard_steps(config.routing);
  } catch (const ConfigError& error) {
    throw ConfigError(checks.place("routing.reshard_at") + ": routing.reshard_at: " + error.what());
  }
  checks.require(steps.empty() || steps.back() < config.outer.steps, "routing.reshard_at",
                 "names an outer step that is not below", "outer.steps", "what is made anew must be trained on");
  checks.require(!config.evaluate.early_stopping || config.data.holdout_fraction > 0, "evaluate.early_stopping",
                 "needs hold-outs, and there are none with", "data.holdout_fraction", "write a fraction above 0");
}

/// What is due at a version of all modules of a path needs rounds: without them there is none.
void check_rounds(const Checks& checks) {
  const RunConfig& config = checks.config();
  const auto require = [&](bool fits, std::string_view key, std::string_view remedy) {
    checks.require(fits, key, "needs rounds, and there are none with", "outer.policy", remedy);
  };
  require(config.evaluate.every == 0, "evaluate.every", "write every=0");
  require(!config.evaluate.early_stopping, "evaluate.early_stopping", "write early_stopping=off");
  require(config.routing.reshard_at.empty(), "routing.reshard_at", "leave it empty");
  require(config.routing.sample_paths == 1, "routing.sample_paths", "write sample_paths=1");
  require(config.routing.active_paths.empty(), "routing.active_paths", "leave it empty");
}

/// What outer.policy=hierarchical reads alone.
void check_merging(const Checks& checks, bool hierarchical) {
  const RunConfig& config = checks.config();
  const OuterOptions none;
  const auto reads = [&](bool same, std::string_view key) {
    checks.require(hierarchical || same, key, "does not go with", "outer.policy",
                   "only outer.policy=hierarchical reads it");
  };
  reads(config.outer.merge_every == none.merge_every, "outer.merge_every");
  reads(config.outer.merge_weight == none.merge_weight, "outer.merge_weight");
  reads(config.outer.global_optimizer == none.global_optimizer, "outer.global_optimizer");
  reads(config.outer.global_learning_rate == none.global_learning_rate, "outer.global_learning_rate");
  reads(config.outer.global_momentum == none.global_momentum, "outer.global_momentum");
  reads(config.outer.global_delay == none.global_delay, "outer.global_delay");
  checks.require(hierarchical == (config.topology.regions > 1), "topology.regions", "does not go with", "outer.policy",
                 "several regions are what outer.policy=hierarchical merges, so write both or neither");
  const std::string& global = config.outer.global_optimizer;
  checks.require(config.outer.global_delay == 0 || global == "auto" || global == "delayed_nesterov",
                 "outer.global_delay", "does not go with", "outer.global_optimizer", "only delayed_nesterov reads it");
}

/// AdamW's keys; a program's own optimizers may read what they like.
bool may_read_moments(std::string_view name) {
  return name != "auto" && name != "nesterov" && name != "sgd" && name != "delayed_nesterov";
}

/// What AdamW reads alone, where it steps on outer gradients; on single ones it has the keys of [inner].
void check_adamw(const Checks& checks, const SyncPolicy& policy) {
  const OuterOptions& outer = checks.config().outer;
  const std::string name(named_optimizer(checks.config(), policy).name);
  const bool by_optimizer = may_read_moments(name) && !(name == "adamw" && policy.exchange == Exchange::gradients);
  const bool read = by_optimizer || (policy.merge && may_read_moments(outer.global_optimizer));
  const OuterOptions none;
  const auto reads = [&](bool same, std::string_view key) {
    checks.require(read || same, key, "does not go with", "outer.optimizer",
                   "only adamw reads it, and not with outer.policy=gradients");
  };
  reads(outer.beta1 == none.beta1, "outer.beta1");
  reads(outer.beta2 == none.beta2, "outer.beta2");
  reads(outer.epsilon == none.epsilon, "outer.epsilon");
  reads(outer.weight_decay == none.weight_decay, "outer.weight_decay");
}

/// What the policies without rounds and their optimizer read alone.
void check_without_rounds(const Checks& checks, const SyncPolicy& policy) {
  const RunConfig& config = checks.config();
  const bool asynchronous = policy.name == "asynchronous" || policy.merge;
  const bool quorum = policy.name == "quorum";
  const auto reads = [&](bool fits, std::string_view key, const std::string& who) {
    checks.require(fits, key, "does not go with", "outer.policy", "only outer.policy=" + who + " reads it");
  };
  const bool weighs = asynchronous || quorum;
  reads(weighs || config.outer.staleness_weight == "none", "outer.staleness_weight",
        "asynchronous, hierarchical or quorum");
  reads(weighs || config.outer.max_staleness == 0, "outer.max_staleness", "asynchronous, hierarchical or quorum");
  reads(asynchronous || config.outer.delay_compensation == 0, "outer.delay_compensation",
        "asynchronous or hierarchical");
  reads(asynchronous || config.outer.buffer == 1, "outer.buffer", "asynchronous or hierarchical");
  reads(quorum || config.outer.quorum == 0, "outer.quorum", "quorum");
  reads(weighs || config.outer.grace == Seconds(0), "outer.grace", "asynchronous, hierarchical or quorum");
  reads(quorum || config.outer.grace_share == 0, "outer.grace_share", "quorum");
  const bool delayed = named_optimizer(config, policy).name == "delayed_nesterov";
  checks.require(!delayed || !policy.rounds, "outer.optimizer", "does not go with", "outer.policy",
                 "all paths of a module step it together there, so write nesterov");
  checks.require(!delayed || config.outer.buffer == 1, "outer.optimizer", "does not go with", "outer.buffer",
                 "it moves at each contribution, so write auto or nesterov");
  const std::string other = "only delayed_nesterov reads it";
  checks.require(delayed || config.outer.delay == 0, "outer.delay", "does not go with", "outer.optimizer", other);
  checks.require(delayed || config.outer.c == 0, "outer.c", "does not go with", "outer.optimizer", other);
}

/// Of any module.
std::size_t most_paths(const Topology& topology) {
  std::size_t most = 0;
  for (const ModuleId module : topology.modules()) most = std::max(most, topology.paths_through(module).size());
  return most;
}

/// Above it, less than none of the momentum would be left for the step that updates it.
void check_momentum_between(const Checks& checks, const Topology& topology) {
  const OuterOptions& outer = checks.config().outer;
  const std::size_t longest = outer.delay == 0 ? most_paths(topology) : static_cast<std::size_t>(outer.delay);
  checks.require(outer.c * static_cast<double>(longest) <= 1, "outer.c",
                 "is above 1/N for N=" + std::to_string(longest) + ", with", "outer.delay",
                 "write at most 1/N; outer.delay=0 takes a module's paths as N");
}

/// No module would wait for so many, or gather them.
void check_counts(const Checks& checks, const Topology& topology) {
  const std::size_t most = most_paths(topology);
  const auto require = [&](std::int64_t count, std::string_view key) {
    checks.require(count <= static_cast<std::int64_t>(most), key,
                   "is above the " + std::to_string(most) + " paths of a module, with", "topology.levels",
                   "write at most so many");
  };
  require(checks.config().outer.quorum, "outer.quorum");
  require(checks.config().outer.buffer, "outer.buffer");
}

/// Where they are as long as machines are fast.
void check_lengths(const Checks& checks, const SyncPolicy& policy) {
  const RunConfig& config = checks.config();
  if (!config.inner.dylu) return;
  checks.require(!policy.rounds, "inner.dylu", "does not go with", "outer.policy",
                 "in rounds all paths train equally long, so write asynchronous, hierarchical or quorum");
  constexpr std::int64_t kMost = 1 << 24;  // as many outer steps as reports tell apart (core/report/attempts.cpp)
  checks.require(config.inner.steps <= (kMost - 1) / config.outer.steps, "inner.dylu", "does not go with",
                 "outer.steps", "outer.steps x inner.steps is to be below " + std::to_string(kMost) + " then");
}

void check_steps(const Checks& checks) {
  const RunConfig& config = checks.config();
  const SyncPolicy policy = make_policy(config);
  const bool gradients = policy.exchange == Exchange::gradients;
  checks.require(!gradients || config.inner.steps == 1, "outer.policy", "does not go with", "inner.steps",
                 "gradients are exchanged after every step, so write inner.steps=1");
  checks.require(!gradients || !config.charge || config.charge->inner.steps == 1, "outer.policy", "does not go with",
                 "charge.steps", "gradients are exchanged after every step, so write charge.steps=1");
  checks.require(!gradients || named_optimizer(config, policy).takes_gradients, "outer.optimizer", "does not go with",
                 "outer.policy", "it must step on the gradient of one inner step, so write auto");
  checks.require(config.outer.drop == 0 || (!gradients && policy.rounds), "outer.drop", "does not go with",
                 "outer.policy", "a path that gives nothing trains on in rounds of outer gradients, so write drop=0");
  const bool one_by_one = policy.name == "asynchronous" || policy.merge;
  checks.require(!one_by_one || config.outer.averaging == "mean", "outer.averaging", "does not go with", "outer.policy",
                 "a module steps at each outer gradient there, so write averaging=mean");
  checks.require(!one_by_one || config.outer.weighting != "tokens", "outer.weighting", "does not go with",
                 "outer.policy", "a module steps at each outer gradient there, so write shard_size or equal");
  checks.require(!gradients || config.outer.averaging == "mean", "outer.averaging", "does not go with", "outer.policy",
                 "gradients of single steps have a mean, so write averaging=mean");
  checks.require(config.outer.prune > 0 || config.outer.prune_by == "magnitude", "outer.prune_by", "does not go with",
                 "outer.prune", "nothing is pruned, so leave it out");
  checks.require(!gradients || config.outer.prune == 0, "outer.prune", "does not go with", "outer.policy",
                 "outer gradients are pruned, so write prune=0");
  const bool stays = config.run.place == "stay" && policy.rounds && make_schedule(config)->lets_wait();
  checks.require(!stays, "run.place", "does not go with", "run.schedule",
                 "in rounds that says who takes a task, so write first_free");
  check_adamw(checks, policy);
  check_without_rounds(checks, policy);
  check_merging(checks, policy.merge.has_value());
  check_lengths(checks, policy);
  if (!policy.rounds) check_rounds(checks);
}

void check_liveness(const Checks& checks) {
  const LivenessOptions& liveness = checks.config().liveness;
  checks.require(liveness.period < liveness.limit, "liveness.period", "is not below", "liveness.limit",
                 "a node needs time for a sign of life before it counts as lost");
  checks.require(liveness.limit < liveness.deadline, "liveness.limit", "is not below", "liveness.deadline",
                 "a lost node must be noticed before the run gives up");
}

/// A fault that can be no fault of this run has its line, too. Which nodes there are is the backend's to know.
void check_faults(const Checks& checks, std::int64_t paths) {
  for (const FaultKindRow& row : kFaultKindTable) {
    const std::string key = "faults." + std::string(row.name);
    FaultPlan faults;
    try {
      faults = parse_faults(row.kind, checks.config().faults.*row.value);
    } catch (const ConfigError& error) {
      throw ConfigError(checks.place(key) + ": " + error.what());
    }
    for (const Fault& fault : faults) {
      checks.require(!fault.path || index(*fault.path) < paths, key,
                     "names a path above the " + std::to_string(paths) + " paths of", "topology.levels",
                     "paths are counted from 0");
      checks.require(!fault.outer_step || number(*fault.outer_step) < checks.config().outer.steps, key,
                     "names an outer step that is not below", "outer.steps", "outer steps are counted from 0");
    }
  }
}

void check_active_paths(const Checks& checks, std::int32_t paths) {
  const RunConfig& config = checks.config();
  try {
    active_paths(config.routing, config.outer.steps, paths);
  } catch (const ConfigError& error) {
    throw ConfigError(checks.place("routing.active_paths") + ": routing.active_paths: " + error.what());
  }
  checks.require(config.routing.active_paths.empty() || config.routing.sample_paths == 1, "routing.active_paths",
                 "does not go with", "routing.sample_paths", "the first paths train there, so write sample_paths=1");
}

/// Fills the table, so that what is wrong with it has a line; the program fills it again.
void check_topology(const Checks& checks) {
  const RunConfig& config = checks.config();
  const auto fill = [&](const TopologyOptions& options, std::string_view key) {
    try {
      return make_topology(options, config.model, config.folder);
    } catch (const ConfigError& error) {
      throw ConfigError(checks.place(key) + ": " + error.what());
    }
  };
  const std::int64_t paths = fill({config.topology.levels, ""}, "topology.levels").paths();
  static_cast<void>(fill({config.topology.levels, config.topology.path_specific}, "topology.path_specific"));
  const Topology topology = fill(config.topology, "topology.regions");
  check_momentum_between(checks, topology);
  check_counts(checks, topology);
  check_active_paths(checks, topology.paths());
  checks.require(config.routing.overlap <= paths, "routing.overlap",
                 "is above the " + std::to_string(paths) + " paths of", "topology.levels",
                 "a document goes to a path once at most");
  const bool grid = find_named(config.parts->routers, config.routing.method, "routing.method").grid;
  checks.require(!grid || !grid_of(config.topology).empty(), "routing.method",
                 "takes a full grid such as 8x8 or flat:8, and a table may be none:", "topology.levels",
                 "write a grid, or take k_means");
  check_faults(checks, paths);
}

}  // namespace

void check_outer(const RunConfig& config, const std::string& file, const std::vector<Setting>& settings) {
  check_steps(Checks(config, file, settings));
}

void check_fit(const RunConfig& config, const std::string& file, const std::vector<Setting>& settings) {
  const Checks checks(config, file, settings);
  check_model(checks, config.model, "model");
  check_inner(checks, config.inner);
  check_rows(checks);
  check_phases(checks);
  check_steps(checks);
  check_topology(checks);
  check_liveness(checks);
  if (!config.charge) return;
  check_model(checks, config.charge->model, "charge");
  checks.require(config.charge->model.blocks >= config.model.blocks, "charge.blocks", "is below", "model.blocks",
                 "charge at least as many, so that every module has a size");
}

}  // namespace dipaco
