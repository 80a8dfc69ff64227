// The grace period of asynchronous runs (2401.09135, Alg. 2): paths that end soon after each other begin together.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/base/text.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

void shape_grace(RunConfig& config, Seconds grace) {
  config.outer.steps = 6;
  config.outer.policy = "asynchronous";
  config.outer.grace = grace;
  config.run.schedule = "first_free";  // the slow one has a path of its own
  config.inner.steps = 4;
  config.evaluate.every = 0;
}

/// The version that each applied contribution's task began with, a line for each path, in the order of its tasks.
std::string bases(const std::vector<Event>& events, std::int32_t paths) {
  std::vector<std::string> of_path(static_cast<std::size_t>(paths));
  for (const Event& event : events) {
    if (event.kind != EventKind::contribution_applied) continue;
    const double base = static_cast<double>(event.version) - 1 - event.value;
    of_path[static_cast<std::size_t>(index(event.path))] += " " + format_number(base);
  }
  std::string lines;
  for (const std::string& line : of_path) lines += line + "\n";
  return lines;
}

/// Four inner steps take 1 s, 1.33 s and 8 s; messages 10 ms.
const std::vector<double> kSpeeds{4, 3, 0.5};

std::string bases_with(Seconds grace, std::int32_t paths, std::vector<HostOutage> outages = {}) {
  MadeUpRun made("shared:" + std::to_string(paths));
  shape_grace(made.config, grace);
  const RunPlan plan = made.plan();
  return in_child(
      [&] { return bases(run_world(plan, {.outages = outages, .workers = kSpeeds}).simulated.events, paths); });
}

}  // namespace

TEST_CASE("of three workers the two that end within the grace begin with one version each time", "[failure]") {
  CHECK(bases_with(Seconds(0), 3) ==
        " 0 1 3 5 7 8\n"
        " 0 2 4 6 9 11\n"
        " 0 12 14 15 16 17\n");
  CHECK(bases_with(Seconds(1), 3) ==
        " 0 2 4 6 9 11\n"
        " 0 2 4 6 9 11\n"
        " 0 9 14 15 16 17\n");
  CHECK(bases_with(Seconds(100), 3) ==
        " 0 3 6 9 12 15\n"
        " 0 3 6 9 12 15\n"
        " 0 3 6 9 12 15\n");
}

TEST_CASE("paths that begin together do so though they wait for a worker, and a coordinator begins anew", "[failure]") {
  std::string together;
  for (int path = 0; path < 5; ++path) together += " 0 5 10 15 20 25\n";
  CHECK(bases_with(Seconds(1e6), 5) == together);
  for (const double off : {0.5, 2.5, 7.0, 11.0, 14.0}) {
    INFO("off at " << off);
    CHECK(bases_with(Seconds(1e6), 5, {{"h0", Seconds(off), Seconds(off + 0.5)}}) == together);
  }
}

}  // namespace dipaco::testing
