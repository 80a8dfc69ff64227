#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/loopback/run.hpp"
#include "core/plan/plan.hpp"
#include "core/roles/roles.hpp"
#include "tests/sim/simulated.hpp"

namespace dipaco::testing {

/// A small run on six simulated hosts, two sites: h0 coordinates, h1 and h2 (one a site) store and execute, h3 to h5
/// work. Between all of them 1 MB/s and 10 ms.
inline constexpr int kHosts = 6;

/// Of all outages at events a test tries one in so many, drawn: 6, 32 under AddressSanitizer, where a simulation takes
/// forty times as long, or as DIPACO_ONE_IN says. scripts/torture.sh tries all.
std::size_t one_in();

struct WorldOptions {
  int threads = 0;
  std::vector<HostOutage> outages;
  FaultPlan faults;
  bool evaluator = false;                     ///< on h5, beside the worker
  std::vector<double> workers{};              ///< inner steps a second of h3 to h5; empty: equal
  std::string link = kLink;                   ///< of each pair of hosts
  bool crowded = false;                       ///< h5 works at the first site, too
  std::shared_ptr<const KnownLines> lines{};  ///< what the coordinator is told of them, true or not
};

/// Lines between the two sites of which it is said that they carry so many bytes a second, there and back.
std::shared_ptr<const KnownLines> said_to_carry(double there, double back);

/// What a run came to.
struct WorldEnd {
  RunResult result;
  Simulated simulated;
};

/// Runs `plan` in this process, which has no other simulation. @throws what ended the run
WorldEnd run_world(const RunPlan& plan, const WorldOptions& options);

/// What nodes left under model/, by name.
using ModelFiles = std::map<std::string, std::vector<std::byte>>;

/// All that a run came to but for times, as one hash: its parameters, its last router and
/// shards, the score of each path and evaluation, and the files of its model.
std::string hash_of(const RunResult& result, const ModelFiles& model);
std::string hash_of(const WorldEnd& end);

/// The same in a child: its hash_of, or "threw: " and why.
std::string world_hash(const RunPlan& plan, const WorldOptions& options);

/// Each path's version that counts, as model/paths says.
std::map<PathId, std::int32_t> best_versions(const ModelFiles& model);
/// How many of them lie at least `back` versions before the last.
int stopping_early(const RunPlan& plan, const ModelFiles& model, int back);

/// Runs `plan` on loopback and a test's clock, in a folder of its own, which goes at the end: its hash_of. @throws what
/// ended the run
std::string loopback_hash(const RunPlan& plan, LoopbackOptions options);

/// The times at which something happened in a run, ascending, each once.
std::vector<Seconds> event_times(const RunPlan& plan, const WorldOptions& options = {});

/// Each host goes off at each of the times, for as long as each of `off` says; without a value for good, but not the
/// coordinator's. Of these, one in `every`, drawn.
std::vector<HostOutage> outages_at(const std::vector<Seconds>& times, std::size_t every,
                                   const std::vector<std::optional<Seconds>>& off);
/// A run for each of these.
std::vector<WorldOptions> worlds_of(const std::vector<HostOutage>& outages);

}  // namespace dipaco::testing
