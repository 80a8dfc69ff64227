#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/compute/compute.hpp"
#include "core/config/run_config.hpp"
#include "core/roles/supplies/fetched_state.hpp"
#include "core/roles/supplies/module_cache.hpp"
#include "core/roles/supplies/shard_cache.hpp"

namespace dipaco {

/// How a role that is busy waits for messages.
struct Waiting {
  std::function<bool()> over;                ///< whether what it waits for is not wanted any more
  std::function<void(Seconds)> receive_one;  ///< handles one message, if one comes in time
};

/// What a task or an evaluation needs beside a path state.
struct Needs {
  PathId path{};
  const Base& base;                   ///< of the path's shared modules; may change during the wait
  std::optional<std::int32_t> phase;  ///< of the path's shard; nullopt: it needs none
  bool evaluates = false;             ///< no task waits for it
};

/// What a worker or evaluator gathers before it computes: module versions, a path state, a shard. Each part knows whom
/// to ask and what is on its way.
class Supplies {
 public:
  Supplies(const RunPlan& plan, Transport& transport, const Compute& clock);

  ModuleCache modules;
  ShardCache shards;
  FetchedState state;

  /// Takes a message that brings one of them, or says who has them. @returns false where it does neither
  bool take(Body& body);
  /// What was asked of the node will not come.
  void lost(NodeId node);
  bool here(const Needs& needs) const;
  /// Asks until all is here, or it is over.
  void gather(const Needs& needs, const Waiting& waiting);

 private:
  bool unasked(const Needs& needs) const;
  void request(const Needs& needs);

  const LivenessOptions& liveness_;
  const Compute& clock_;
};

}  // namespace dipaco
