#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dipaco {

/// How documents find their path (§2.4). Keys of [routing].
struct RoutingOptions {
  std::string method = "k_means";  ///< or product_k_means or random, or one that the program brings
  std::int64_t prefix = 32;        ///< tokens that the router sees and that are out of the loss
  std::int64_t overlap = 1;        ///< a training document goes to its so many nearest shards (§2.4.4)
  double router_fraction = 0.005;  ///< of the documents, kept for the router (§2.4)
  std::string reshard_at{};        ///< "4,8": outer steps with which a phase of discriminative re-sharding begins
                                   ///< (§2.4.2); empty: none
  std::int64_t label_tokens = 0;   ///< first of a router document, from which its best path is told then; 0: all
  double sample_paths = 1;         ///< share of the paths that train at an outer step, drawn (§2.6.2)
  std::string active_paths{};      ///< "4,8" or "1..8": how many paths train, over the outer steps; empty: all
  bool calibrate_bias = true;      ///< of a discriminative router, so that no path starves (§7.2.1)
};

/// The outer steps that reshard_at names; none where it is empty. @throws ConfigError unless they are integers from 1
/// on, ascending
std::vector<std::int64_t> reshard_steps(const RoutingOptions& options);

/// How many of `paths` are drawn to train at each outer step (§2.6.2): sample_paths of them, rounded, at least one.
std::int32_t drawn_paths(const RoutingOptions& options, std::int32_t paths);

/// What active_paths says of each outer step, [outer_steps]; empty where it is. Its parts, such as 4,8, have equally
/// many outer steps; a part such as 1..8 is a ramp. At an outer step the first so many paths train. Source: DiLoCo
/// (2311.08105), Fig. 7: replicas that come and go. @throws ConfigError unless these are integers of 1 to `paths`, in
/// at most as many parts as outer steps
std::vector<std::int32_t> active_paths(const RoutingOptions& options, std::int64_t outer_steps, std::int32_t paths);

/// How many tasks all paths have in a run of policies with rounds.
std::int64_t all_tasks(const RoutingOptions& options, std::int64_t outer_steps, std::int32_t paths);

}  // namespace dipaco
