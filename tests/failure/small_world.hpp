#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/runtime/plan.hpp"
#include "core/runtime/roles.hpp"
#include "tests/sim/simulated.hpp"

namespace dipaco::testing {

/// A small run on six simulated hosts, two sites: h0 coordinates, h1 and h2 (one a site) store and execute, h3 to h5
/// work. Between all of them 1 MB/s and 10 ms.
inline constexpr int kHosts = 6;

/// A simulation takes twenty times as long under AddressSanitizer: there, one in so many is tried.
#ifdef __SANITIZE_ADDRESS__
inline constexpr std::size_t kOneIn = 4;
#else
inline constexpr std::size_t kOneIn = 1;
#endif

struct WorldOptions {
  int threads = 0;
  std::vector<HostOutage> outages;
  FaultPlan faults;
};

/// What a run came to.
struct WorldEnd {
  RunResult result;
  Simulated simulated;
};

/// Runs `plan` in this process, which has no other simulation. @throws what ended the run
WorldEnd run_world(const RunPlan& plan, const WorldOptions& options);

/// All that a run came to but for times, as one hash: its parameters, its last router and
/// shards, and the score of each path and evaluation.
std::string hash_of(const RunResult& result);

/// The same in a child: its hash_of, or "threw: " and why.
std::string world_hash(const RunPlan& plan, const WorldOptions& options);

/// The times at which something happened in an undisturbed run, ascending, each once.
std::vector<Seconds> event_times(const RunPlan& plan);

}  // namespace dipaco::testing
