#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "backends/gloo/run.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {

/// What a toy run is like, by a word that its processes are given.
enum class ToyKind : std::uint8_t {
  whole,         ///< 2x2 paths with modules of their own, six outer steps, evaluations, a re-sharding in its middle
  plain,         ///< 2x2 paths that share all
  charged,       ///< nothing is learned: sizes and times alone
  asynchronous,  ///< plain, without rounds: paths that end within half a second go on together
  by_speed,      ///< plain, without rounds, with tasks as long as machines are fast
  quorum,        ///< plain, without rounds: modules step a fifth of a second after the first of their two paths
  regions,       ///< plain, without rounds: two regions, whose parts of the second level's modules merge
};

/// A run of a few hundred parameters, the same in each process.
struct ToyRun {
  MadeUpRun made;
  RunPlan plan;

  explicit ToyRun(ToyKind kind = ToyKind::whole);
  /// But for the roles, whom to expect, and where they meet: this process is reached at `address`.
  GlooOptions options(const std::filesystem::path& out, const std::string& address) const;
};

/// All that a run came to but for times: parameters, router and shards, scores. Without rounds these follow from who
/// came first: then how many inner steps and contributions there were, each of which was applied or dropped once.
std::string told_of(const ToyRun& toy, const RunResult& result);

/// What the same run comes to in this process, on loopback.
std::string loopback_hash(const ToyRun& toy);

}  // namespace dipaco::testing
