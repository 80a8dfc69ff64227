#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <iostream>

#include "core/report/report.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;

namespace {

/// 256 paths on 256 workers at 4 sites, 427 outer steps: five events a task and `transfers` messages with values.
testing::MadeUpRun large_run(int transfers) {
  constexpr int kPaths = 256;
  constexpr int kSteps = 427;
  constexpr double kStep = 700;  // seconds
  testing::MadeUpRun run;
  run.facts.name = "large";
  run.facts.paths = kPaths;
  run.facts.outer_steps = kSteps;
  run.facts.inner_steps = 150;
  run.facts.duration = Seconds(kSteps * kStep);
  run.facts.sites = {"a", "b", "c", "d"};
  run.facts.nodes.push_back({.id = NodeId{0}, .role = Role::coordinator, .site = SiteId{0}, .host = "coordinator"});
  run.facts.nodes.push_back({.id = NodeId{1}, .role = Role::executor, .site = SiteId{0}, .host = "executor"});
  for (int i = 0; i < kPaths; ++i) {
    run.facts.nodes.push_back(
        {.id = NodeId{i + 2}, .role = Role::worker, .site = SiteId{i % 4}, .host = "host-" + std::to_string(i)});
  }
  for (int step = 0; step < kSteps; ++step) {
    const double begin = step * kStep;
    const auto add = [&](int path, double after, EventKind kind) {
      run.events.push_back({.time = Seconds(begin + after + path * 0.01),
                            .kind = kind,
                            .attempt = 1,
                            .node = NodeId{path + 2},
                            .path = PathId{path},
                            .outer_step = OuterStep{step},
                            .inner_steps = 150,
                            .value = 500 + path / 3.0});
    };
    const auto each = [&](double after, EventKind kind) {
      for (int path = 0; path < kPaths; ++path) add(path, after, kind);
    };
    each(0, EventKind::task_queued);
    each(3, EventKind::task_assigned);
    for (int i = 0; i < transfers / kSteps; ++i) {
      run.events.push_back({.time = Seconds(begin + 10 + i * 0.001),
                            .kind = EventKind::transfer,
                            .detail = static_cast<std::uint8_t>(MessageKind::module),
                            .node = NodeId{i % kPaths + 2},
                            .peer = NodeId{1},
                            .begin = Seconds(begin + 4 + i * 0.0007),
                            .bytes = 37'000'000});
    }
    each(20, EventKind::task_started);
    each(640, EventKind::task_computed);
    each(650, EventKind::task_committed);
  }
  return run;
}

double seconds_to_write(const testing::MadeUpRun& run, const std::filesystem::path& folder) {
  const auto begin = std::chrono::steady_clock::now();
  write_outputs(run.facts, run.events, {.folder = folder});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("650,000 events are summarised and written in a few seconds and little memory", "[report][.slow]") {
  const auto run = large_run(650'000 - 256 * 427 * 5);
  REQUIRE(run.events.size() > 640'000);
  const TemporaryFolder folder;
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const double seconds = seconds_to_write(run, folder.path());
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  const double more = static_cast<double>(after.ru_maxrss - before.ru_maxrss) / 1024;
  std::cout << run.events.size() << " events: " << seconds << " s, " << more << " MiB\n";
  CHECK(seconds < 6);  // four times what a release build takes
  CHECK(more < 200);
}
