#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "backends/gloo/run.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {

/// A run of a few hundred parameters, the same in each process: 2x2 paths with modules of their own, six outer steps,
/// evaluations, a re-sharding in its middle.
struct ToyRun {
  MadeUpRun made;
  RunPlan plan;

  ToyRun();
  /// But for the roles and whom to expect: over loopback addresses, the coordinator at `port`.
  GlooOptions options(const std::filesystem::path& out, std::uint16_t port) const;
};

/// All that a run came to but for times: parameters, router and shards, scores.
std::string hash_of(const RunResult& result);

/// What the same run comes to in this process, on loopback.
std::string loopback_hash(const ToyRun& toy);

}  // namespace dipaco::testing
