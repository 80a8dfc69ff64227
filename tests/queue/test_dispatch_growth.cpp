// What giving out the tasks of a fleet costs, as the fleet grows.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>
#include <limits>
#include <memory>
#include <string>

#include "core/queue/dispatch.hpp"

namespace dipaco::testing {
namespace {

/// Of this thread.
double processor_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor time to give each of `tasks` paths to one of as many equal workers, 64 a site. The paths' states are
/// spread over the sites.
double seconds_to_give(std::int32_t tasks) {
  constexpr int kSite = 64;
  Dispatch dispatch;
  dispatch.plan_by(std::make_shared<EarliestFinish>(), {.inner_step = 1, .inner_steps = 10, .state = Bytes{1000}});
  PathTable paths(tasks, [](PathId /*path*/, OuterStep step) { return step; });
  for (std::int32_t k = 0; k < tasks; ++k) dispatch.worker_up(NodeId{k}, SiteId{k / kSite}, 1);
  for (std::int32_t p = 0; p < tasks; ++p) {
    PathEntry& path = paths.at(PathId{p});
    path.phase = PathEntry::Phase::queued;
    path.site = SiteId{p % (tasks / kSite)};
    dispatch.put_in(PathId{p}, path);
  }
  int given = 0;
  const double before = processor_seconds();
  while (const auto next = dispatch.next(paths, [](PathId /*path*/) { return true; })) {
    paths.run_on(next->path, next->worker, {}, Seconds(0));
    ++given;
  }
  const double seconds = processor_seconds() - before;
  REQUIRE(given == tasks);
  return seconds;
}

}  // namespace

// A walk over all free workers for each task made it nearly five times.
TEST_CASE("twice the tasks and workers take at most three times as long to bring together", "[queue]") {
  constexpr std::int32_t kLeast = 512;
  constexpr std::int32_t kMost = 4096;
  constexpr int kRuns = 5;  // whatever disturbs a run makes it longer
  double small = std::numeric_limits<double>::infinity();
  double large = small;
  for (int run = 0; run < kRuns; ++run) {
    small = std::min(small, seconds_to_give(kLeast));
    large = std::min(large, seconds_to_give(kMost));
  }
  INFO(std::to_string(small) + " s for " + std::to_string(kLeast) + ", " + std::to_string(large) + " s for " +
       std::to_string(kMost));
  CHECK(std::pow(large / small, 1 / std::log2(kMost / kLeast)) <= 3);
}

}  // namespace dipaco::testing
