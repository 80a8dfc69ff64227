// What giving out the tasks of a fleet costs, as the fleet grows.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/base/random.hpp"
#include "core/model/topology.hpp"
#include "core/queue/dispatch.hpp"
#include "core/queue/open_contributors.hpp"

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
  dispatch.plan_by(std::make_shared<EarliestFinish>(),
                   {.inner_step = 1, .lengths = TaskLengths(10), .state = Bytes{1000}});
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

/// What it takes to say who gets a task whenever a task of an outer step ends, and who rather waits.
struct Deciding {
  std::int64_t events = 0;
  double seconds = 0;  ///< of a processor, of all events
  double late = 0;     ///< the outer step's time by the least that it could take
};

/// Two levels of 64 experts, a path for each pair.
Topology grid_of_64() {
  std::vector<std::int32_t> table;
  for (std::int32_t p = 0; p < 64 * 64; ++p) table.insert(table.end(), {p / 64, p % 64});
  return {{{.experts = 64}, {.experts = 64}}, table};
}

/// An outer step of 4,096 tasks on a fleet of 100 sites whose machines differ in speed by up to 32 times.
class UnequalFleet {
 public:
  explicit UnequalFleet(std::int32_t workers)
      : topology_(grid_of_64()), paths_(topology_.paths(), [](PathId /*path*/, OuterStep s) { return s; }) {
    dispatch_.plan_by(std::make_shared<EarliestFinish>(), {.inner_step = 1, .lengths = TaskLengths(kSteps)});
    for (std::int32_t k = 0; k < workers; ++k) {
      speeds_.push_back(std::exp2(5 * draw_uniform(7, Draw::jitter, static_cast<std::uint64_t>(k))));
      dispatch_.worker_up(NodeId{k}, site_of(k), speeds_.back());
    }
  }

  /// Lines between all sites carry what is drawn, over a factor of 1,000, and each outer step's end tells news of some.
  void know_lines() {
    auto lines = std::make_shared<LineTable>();
    for (std::int32_t from = 0; from < 100; ++from) {
      for (std::int32_t to = 0; to < 100; ++to) {
        const auto draw = static_cast<std::uint64_t>(100 * from + to);
        if (from != to) lines->pairs[{SiteId{from}, SiteId{to}}] = std::pow(1000, draw_uniform(8, Draw::jitter, draw));
      }
    }
    ExchangeTimes& exchange = dispatch_.reserve().ways().exchange();
    exchange.known_are(lines);
    for (std::int32_t k = 0; k < 128; ++k) {
      const ModuleId module{k / 64, k % 64};
      exchange.module_is(module,
                         {.share = 1.0 / 64, .gradient = {Bytes{4}, Bytes{5}}, .version = {Bytes{4}, Bytes{4}}});
      exchange.owned_at(module, SiteId{k % 100});
    }
    knows_lines_ = true;
  }

  Deciding outer_step() {
    for (std::int32_t p = 0; p < paths_.size(); ++p) {
      PathEntry& path = paths_.at(PathId{p});
      path.phase = PathEntry::Phase::queued;
      path.site = kNowhere;
      dispatch_.put_in(PathId{p}, path);
    }
    decide();
    for (; !running_.empty(); running_.erase(running_.begin())) end(*running_.begin());
    REQUIRE(paths_.committed_tasks() == paths_.size());
    deciding_.late = now_ / least();
    return deciding_;
  }

 private:
  static constexpr std::int32_t kSteps = 10;
  using Run = std::tuple<double, std::int32_t, PathId>;  ///< until when, by which worker
  static SiteId site_of(std::int32_t worker) { return SiteId{worker % 100}; }

  void end(const Run& run) {
    const auto [at, worker, path] = run;
    now_ = at;
    paths_.committed(path, site_of(worker), Seconds(now_));
    dispatch_.worker_free(NodeId{worker});
    if (knows_lines_ && deciding_.events % 4 == 0) {
      const auto takes = 1e-3 * std::pow(1000, draw_uniform(9, Draw::jitter, static_cast<std::uint64_t>(worker)));
      dispatch_.reserve().ways().way_takes(site_of(worker), site_of(worker + 1), takes);
    }
    decide();
  }

  void decide() {
    const double before = processor_seconds();
    while (const auto next = next_task()) {
      paths_.run_on(next->path, next->worker, {}, Seconds(now_));
      const std::int32_t worker = index(next->worker);
      running_.emplace(now_ + kSteps / speeds_[static_cast<std::size_t>(worker)], worker, next->path);
    }
    dispatch_.held_back(paths_, Seconds(now_));
    dispatch_.looks_again_at(Seconds(now_));
    deciding_.seconds += processor_seconds() - before;
    ++deciding_.events;
  }

  /// As TaskQueue asks for it.
  std::optional<Assignment> next_task() {
    OpenContributors open(topology_, paths_);
    return dispatch_.next(
        paths_, [](PathId /*path*/) { return true; }, Seconds(now_), &open);
  }

  /// The least time in which all workers together can do all tasks.
  double least() const {
    double low = 0;
    double high = 1e6;
    for (int k = 0; k < 100; ++k) {
      const double middle = (low + high) / 2;
      double done = 0;
      for (const double speed : speeds_) done += std::floor(middle * speed / kSteps);
      (done >= paths_.size() ? high : low) = middle;
    }
    return high;
  }

  Dispatch dispatch_;
  Topology topology_;
  PathTable paths_;
  std::vector<double> speeds_;
  std::set<Run> running_;
  double now_ = 0;
  Deciding deciding_;
  bool knows_lines_ = false;
};

/// Of a processor, to look at each of so many machines in a std::map, as a measure of this machine.
double seconds_to_walk(std::int32_t machines) {
  std::map<std::int32_t, std::array<double, 8>> all;
  for (std::int32_t k = 0; k < machines; ++k) all[k * 7919 % machines] = {1.0 * k};
  constexpr int kWalks = 50;
  double sum = 0;
  const double before = processor_seconds();
  for (int walk = 0; walk < kWalks; ++walk) {
    for (const auto& [number, values] : all) sum += values[0];
  }
  const double seconds = processor_seconds() - before;
  REQUIRE(sum > 0);
  return seconds / kWalks;
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

// That it grows with the fleet is as it is: whenever a machine is free, all of them are looked at. With the workers in
// a std::map it took 2.7 ms an event where it takes 0.7.
TEST_CASE("who of 10,000 unequal machines takes which of 4,096 tasks takes a few looks at each machine",
          "[queue][long]") {
  constexpr std::int32_t kMachines = 10'000;
  double looks = std::numeric_limits<double>::infinity();
  double milliseconds = looks;
  for (int run = 0; run < 3; ++run) {
    const double walk = seconds_to_walk(kMachines);
    const Deciding one = UnequalFleet(kMachines).outer_step();
    CHECK(one.events == 4097);
    CHECK(one.late <= 1.05);
    const double event = one.seconds / static_cast<double>(one.events);
    looks = std::min(looks, event / std::max(walk, seconds_to_walk(kMachines)));  // whatever runs beside it slows both
    milliseconds = std::min(milliseconds, 1e3 * event);
#ifdef DIPACO_SANITIZED
    return;  // which measures itself
#endif
  }
  std::cout << milliseconds << " ms an event, " << looks << " walks over a std::map of all machines" << std::endl;
  CHECK(looks <= 4);  // with std::maps it was 5 to 8
}

// With lines that count all of it is foreseen with what each site's next task gives.
TEST_CASE("known lines between 100 sites make a decision take a few looks more at each machine", "[queue][long]") {
  constexpr std::int32_t kMachines = 10'000;
  double looks = std::numeric_limits<double>::infinity();
  double milliseconds = looks;
  for (int run = 0; run < 2; ++run) {
    const double walk = seconds_to_walk(kMachines);
    UnequalFleet fleet(kMachines);
    fleet.know_lines();
    const Deciding one = fleet.outer_step();
    CHECK(one.events == 4097);
    const double event = one.seconds / static_cast<double>(one.events);
    looks = std::min(looks, event / std::max(walk, seconds_to_walk(kMachines)));
    milliseconds = std::min(milliseconds, 1e3 * event);
#ifdef DIPACO_SANITIZED
    return;
#endif
  }
  std::cout << milliseconds << " ms an event with lines, " << looks << " walks over a std::map of all machines"
            << std::endl;
  CHECK(looks <= 12);  // seen: 4.2
}

}  // namespace dipaco::testing
