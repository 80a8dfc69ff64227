#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/config/run_config.hpp"
#include "core/model/layout.hpp"
#include "core/model/topology.hpp"
#include "core/outer/hierarchical.hpp"
#include "core/outer/optimizer.hpp"
#include "core/outer/policies.hpp"
#include "core/plan/learner.hpp"
#include "core/plan/timetable.hpp"

namespace dipaco {

/// What every node of a run knows before it starts: the same everywhere, immutable, shared by all threads.
struct RunPlan {
  RunConfig config;
  Topology topology;
  PathLayout layout;      ///< of what is learned: without parameters where nothing is
  PathLayout charged;     ///< of what time and bytes are charged for: [charge], or `layout`
  Flops inner_step_cost;  ///< charged for one learned inner step; where [charge] has another tau, tau of theirs cost
                          ///< tau of ours
  Flops evaluated_token_cost;                       ///< charged for one token of an evaluation, forward only
  std::vector<double> shard_weights;                ///< [P] |D_i| of Eq. 2-3, in tokens; 1 each where nothing is
                                                    ///< learned or outer.weighting is another
  SyncPolicy policy;                                ///< when modules step and paths begin
  std::shared_ptr<const Schedule> schedule;         ///< which free worker takes a task, and which rather waits
  std::shared_ptr<const OuterOptimizer> optimizer;  ///< how every module steps, whoever steps it, but for:
  std::shared_ptr<const OuterRegional> regional_optimizer;  ///< how regional parts step; null where there are none
  std::shared_ptr<const OuterOptimizer> global_optimizer;   ///< how global parts step; null where there are none
  std::unique_ptr<const Learner> learner;  ///< or one that learns nothing: sizes and times are charged only;
                                           ///< never null
  bool scores;  ///< whether anything is scored, the result at least: something is learned, or a text is charged
  Timetable timetable;
  std::string config_hash;    ///< of the keys that may change parameters (run_file.hpp)
  std::string prepared_hash;  ///< Prepared::hash; "" where nothing is learned
};

/// What one inner step costs of the model that is charged: [charge], or the one that learns.
Flops charged_step(const RunConfig& config);

/// Puts the plan together. `prepared` and `trainer` null: nothing is learned. `threads` as Learner has it.
/// REQUIRES that both are null or neither is.
/// @throws ConfigError where the topology does not fit the model, [charge] does not fit the topology, or the policy,
///         the outer optimizer or the schedule is none of config.parts or cannot do what the run file asks for;
///         DataError where the topology's table cannot be read, or a shard has no token to learn
RunPlan make_plan(const RunConfig& config, std::shared_ptr<const Prepared> prepared,
                  std::shared_ptr<const Trainer> trainer, LearnerThreads threads = {});

/// Floats of a path's modules that it shares with others, and of those that it alone has (§2.6.1). Their sum is
/// layout.size.
std::uint64_t shared_size(const Topology& topology, const PathLayout& layout, PathId path);
std::uint64_t specific_size(const Topology& topology, const PathLayout& layout, PathId path);

}  // namespace dipaco
