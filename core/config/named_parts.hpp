#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/config/key.hpp"
#include "core/outer/hierarchical.hpp"
#include "core/outer/optimizer.hpp"
#include "core/outer/policies.hpp"
#include "core/outer/schedule.hpp"
#include "core/routing/router.hpp"

namespace dipaco {

/// A policy, by the name that outer.policy gives it.
struct NamedPolicy {
  std::string name;
  std::function<SyncPolicy(const RunConfig&)> make;  ///< of a resolved run file; SyncPolicy::name is set to `name`
};

/// What an outer optimizer is made for, beside the run file.
struct OptimizerUse {
  Exchange exchange{};  ///< the policy's: what it steps on
  InnerSteps start;     ///< inner steps of the dense start; 0 where nothing is learned
};

/// An outer optimizer, by the name that outer.optimizer gives it.
struct NamedOptimizer {
  std::string name;
  /// Of a resolved run file. Must not return null.
  std::function<std::unique_ptr<const OuterOptimizer>(const RunConfig&, const OptimizerUse&)> make;
  bool takes_gradients = false;  ///< it may step on gradients of single inner steps (§4.5)
};

/// This project's; docs/run-file.md, "What keys can name", says what each does.
std::vector<NamedPolicy> built_in_policies();
std::vector<NamedOptimizer> built_in_optimizers();

/// What a run file can name. A program that brings parts of its own adds rows, and hands this to read_run_file; from
/// then on it is in the configuration, and an own part is treated as one of this project's: errors list it, and its
/// name is in --dump-config and in the hash that the nodes of a run compare. A part's constants are in the hash if they
/// are keys.
struct NamedParts {
  std::vector<NamedPolicy> policies = built_in_policies();
  std::vector<NamedOptimizer> optimizers = built_in_optimizers();
  std::vector<RoutingMethod> routers = routing_methods();
  std::vector<NamedSchedule> schedules = dipaco::schedules();
  std::vector<RunKey> keys{};  ///< the program's own, in sections of their own
};

/// This project's parts alone.
std::shared_ptr<const NamedParts> built_in_parts();

/// The policy that outer.policy names. @throws ConfigError where there is none of that name, with all names and the
/// nearest; and what the part's `make` throws
SyncPolicy make_policy(const RunConfig& config);

/// The outer optimizer that outer.optimizer names; of auto: the policy's own. @throws ConfigError as above
const NamedOptimizer& named_optimizer(const RunConfig& config, const SyncPolicy& policy);

/// What it makes, which gathers contributions where outer.buffer says so. @throws what named_optimizer and `make` throw
/// @param start  inner steps of the dense start; 0 where nothing is learned
std::unique_ptr<const OuterOptimizer> make_optimizer(const RunConfig& config, const SyncPolicy& policy,
                                                     InnerSteps start);

/// How regional and global parts step; null where the policy has none. @throws as make_optimizer
std::unique_ptr<const OuterRegional> make_regional_optimizer(const RunConfig& config, const SyncPolicy& policy,
                                                             InnerSteps start);
std::unique_ptr<const OuterOptimizer> make_global_optimizer(const RunConfig& config, const SyncPolicy& policy,
                                                            InnerSteps start);

/// The schedule that run.schedule names. @throws ConfigError as above
std::shared_ptr<const Schedule> make_schedule(const RunConfig& config);

/// @throws std::logic_error where two parts of a kind have one name, an outer optimizer is named auto, or a routing
///         method has no `read`
void check_names(const NamedParts& parts);

}  // namespace dipaco
