#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/growth/cost.hpp"

namespace dipaco::testing {

/// A run of two levels on sites that look alike, as bench/bare_rounds.cpp takes them.
struct SiteRun {
  std::string scenario;            ///< its file
  std::vector<std::string> sites;  ///< in the order of the file
  int workers = 0;                 ///< of a site
  int executors = 0;               ///< of a site
  int executor = 0;                ///< the number of the first one's host in its site
  int store = 0;                   ///< that of the store's
  double speed = 0;                ///< of a host, in operations a second, as the file says it
  std::vector<std::string> under;  ///< words of a program that runs either program; none: by itself
};

/// What one size of a run is.
struct RunSize {
  std::string experts;  ///< of the two levels: "8x16"
  int outer_steps = 0;
};

/// dipaco-sim with --learn off, and these keys set as "section.key=value".
struct SimulatedRun {
  Ended ended;
  nlohmann::json summary;
};
SimulatedRun run_simulated(const SiteRun& run, const RunSize& size, const std::vector<std::string>& set = {});

/// The bare program with the same messages.
struct BareRun {
  Ended ended;
  std::int64_t messages = 0;
  double simulated_s = 0;
};
/// @param summary  of dipaco-sim's run: it has the sizes of messages and tasks
BareRun run_bare(const SiteRun& run, const RunSize& size, const nlohmann::json& summary);

}  // namespace dipaco::testing
