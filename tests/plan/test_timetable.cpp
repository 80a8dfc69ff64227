#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "core/base/random.hpp"
#include "core/plan/timetable.hpp"
#include "core/state/retention.hpp"

namespace dipaco::testing {
namespace {

RunConfig ten_steps() {
  RunConfig config;
  config.outer.steps = 10;
  config.evaluate.every = 4;
  config.evaluate.early_stopping = true;
  config.routing.reshard_at = "3,6";
  return config;
}

using Purposes = std::vector<Purpose>;

/// Which paths train at which outer step (§2.6.2), drawn anew at each question, and what follows by walks over all
/// steps.
struct WalkedSteps {
  const RunConfig& config;
  std::int32_t paths = 0;
  std::int32_t drawn = 0;
  std::int32_t steps = static_cast<std::int32_t>(config.outer.steps);

  bool trains(PathId path, std::int32_t step) const {
    if (step >= steps) return false;
    std::vector<std::uint32_t> order(static_cast<std::size_t>(paths));
    std::iota(order.begin(), order.end(), 0);
    if (drawn < paths) shuffle(order, config.run.seed, Draw::path_sample, static_cast<std::uint64_t>(step));
    return std::find(order.begin(), order.begin() + drawn, static_cast<std::uint32_t>(index(path))) !=
           order.begin() + drawn;
  }
  std::int32_t next_trained(PathId path, std::int32_t step) const {
    while (step < steps && !trains(path, step)) ++step;
    return std::min(step, steps);
  }
  std::int32_t state_version(PathId path, std::int32_t version) const {
    while (version > 0 && !trains(path, version - 1)) --version;
    return version;
  }
  std::int32_t tasks_before(PathId path, std::int32_t end) const {
    std::int32_t tasks = 0;
    for (std::int32_t step = 0; step < end; ++step) tasks += trains(path, step) ? 1 : 0;
    return tasks;
  }
};

/// Whether a path's state is the one that some version needs that is due, or that is the path's best.
bool walk_keeps(const Timetable& timetable, const Released& released, PathId path, std::int32_t state) {
  for (std::int32_t version = 0; version <= 10; ++version) {
    if (timetable.state_version(path, version) != state) continue;
    if (version > released.version && timetable.kept(version)) return true;
    for (const PathVersion& best : released.best) {
      if (best.path == path && best.version == version) return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("a phase begins with the outer step that it is named by", "[plan]") {
  const Timetable timetable(ten_steps(), 4, true);
  CHECK(timetable.phases() == 3);
  CHECK(timetable.phase_of(OuterStep{2}) == 0);
  CHECK(timetable.phase_of(OuterStep{3}) == 1);
  CHECK(timetable.phase_of(OuterStep{5}) == 1);
  CHECK(timetable.phase_of(OuterStep{6}) == 2);
  CHECK(timetable.begin(2) == OuterStep{6});
  // Version 6 was made by outer step 5, on the shards of phase 1.
  CHECK(timetable.phase_of_version(6) == 1);
  CHECK(timetable.phase_of_version(0) == 0);
}

TEST_CASE("what is due at a version", "[plan]") {
  const Timetable timetable(ten_steps(), 4, true);
  CHECK(timetable.due(0) == Purposes{});
  CHECK(timetable.due(1) == Purposes{});
  CHECK(timetable.due(3) == Purposes{Purpose::routing});
  CHECK(timetable.due(4) == Purposes{Purpose::progress});
  // The hold-outs of the last phase are those of the versions behind its begin.
  CHECK(timetable.due(6) == Purposes{Purpose::routing});
  CHECK(timetable.due(7) == Purposes{Purpose::early_stopping});
  CHECK(timetable.due(8) == Purposes{Purpose::early_stopping, Purpose::progress});
  CHECK(timetable.due(10) == Purposes{Purpose::early_stopping});
  CHECK(timetable.kept(9));
  CHECK_FALSE(timetable.kept(10));
}

TEST_CASE("nothing takes place where nothing is learned", "[plan]") {
  const Timetable timetable(ten_steps(), 4, false);
  CHECK(timetable.phases() == 1);
  for (std::int32_t version = 0; version <= 10; ++version) CHECK(timetable.due(version).empty());
}

TEST_CASE("half of the paths train at each outer step, another half each time", "[plan]") {
  RunConfig config = ten_steps();
  config.routing.sample_paths = 0.5;
  const Timetable timetable(config, 4, true);
  std::vector<std::int32_t> tasks(4);
  for (std::int32_t step = 0; step < 10; ++step) {
    int drawn = 0;
    for (std::int32_t p = 0; p < 4; ++p) {
      if (!timetable.trains(PathId{p}, OuterStep{step})) continue;
      ++drawn;
      ++tasks[static_cast<std::size_t>(p)];
    }
    CHECK(drawn == timetable.trained_paths(OuterStep{step}));
    CHECK(drawn == 2);
  }
  for (std::int32_t p = 0; p < 4; ++p) {
    const PathId path{p};
    CHECK(tasks[static_cast<std::size_t>(p)] == timetable.tasks_before(path, OuterStep{10}));
    CHECK(tasks[static_cast<std::size_t>(p)] > 0);
    std::int32_t newest = 0;
    for (std::int32_t version = 0; version <= 10; ++version) {
      CHECK(timetable.state_version(path, version) == newest);
      if (timetable.trains(path, OuterStep{version})) newest = version + 1;
      const OuterStep next = timetable.next_trained(path, OuterStep{version});
      CHECK((next == OuterStep{10} || timetable.trains(path, next)));
      for (std::int32_t between = version; between < number(next); ++between)
        CHECK_FALSE(timetable.trains(path, OuterStep{between}));
    }
  }
}

TEST_CASE("what a path does at an outer step is what a walk over all steps says, however many paths train", "[plan]") {
  for (const std::int32_t drawn : {1, 2, 5, 8, 10}) {
    RunConfig config = ten_steps();
    config.outer.steps = 40;
    config.run.seed = static_cast<std::uint64_t>(drawn);
    config.routing.sample_paths = drawn / 10.0;
    const Timetable timetable(config, 10, true);
    const WalkedSteps walked{.config = config, .paths = 10, .drawn = drawn};
    REQUIRE(timetable.trained_paths(OuterStep{39}) == drawn);
    for (std::int32_t p = 0; p < 10; ++p) {
      for (std::int32_t step = 0; step <= 41; ++step) {
        INFO(drawn << " of 10 paths, path " << p << ", step " << step);
        REQUIRE(timetable.trains(PathId{p}, OuterStep{step}) == walked.trains(PathId{p}, step));
        REQUIRE(number(timetable.next_trained(PathId{p}, OuterStep{step})) == walked.next_trained(PathId{p}, step));
        REQUIRE(timetable.state_version(PathId{p}, step) == walked.state_version(PathId{p}, step));
        REQUIRE(timetable.tasks_before(PathId{p}, OuterStep{step}) == walked.tasks_before(PathId{p}, step));
      }
    }
  }
}

TEST_CASE("the number of paths that train follows routing.active_paths, and the first ones do", "[plan]") {
  using Counts = std::vector<std::int32_t>;
  RunConfig config = ten_steps();
  for (const auto& [text, counts] :
       std::vector<std::pair<std::string, Counts>>{{"3", Counts(10, 3)},
                                                   {"2,4", {2, 2, 2, 2, 2, 4, 4, 4, 4, 4}},
                                                   {"1..4", {1, 1, 2, 2, 2, 3, 3, 3, 4, 4}},
                                                   {"4..1", {4, 4, 3, 3, 3, 2, 2, 2, 1, 1}},
                                                   {"1,2,4", {1, 1, 1, 2, 2, 2, 4, 4, 4, 4}}}) {
    INFO(text);
    config.routing.active_paths = text;
    const Timetable timetable(config, 4, true);
    for (std::int32_t step = 0; step < 10; ++step) {
      const std::int32_t active = counts[static_cast<std::size_t>(step)];
      CHECK(timetable.trained_paths(OuterStep{step}) == active);
      for (std::int32_t p = 0; p < 4; ++p) CHECK(timetable.trains(PathId{p}, OuterStep{step}) == (p < active));
    }
    CHECK(timetable.tasks() == std::accumulate(counts.begin(), counts.end(), 0));
    CHECK(timetable.inner_steps() == timetable.tasks() * config.inner.steps);
  }
}

TEST_CASE("a path that is never drawn keeps its prepared start to the end", "[plan]") {
  RunConfig config = ten_steps();
  config.outer.steps = 2;
  config.routing.sample_paths = 0.1;  // one path of ten at each of the two outer steps: eight at least are not drawn
  const Timetable timetable(config, 10, true);
  int never = 0;
  for (std::int32_t p = 0; p < 10; ++p) {
    if (timetable.next_trained(PathId{p}, OuterStep{0}) < OuterStep{2}) continue;
    ++never;
    CHECK(timetable.state_version(PathId{p}, 2) == 0);
    CHECK(timetable.tasks_before(PathId{p}, OuterStep{2}) == 0);
    CHECK_FALSE(timetable.trains(PathId{p}, OuterStep{1}));
  }
  CHECK(never >= 8);
}

TEST_CASE("a state is kept while a version that it serves is due or a path's best", "[plan]") {
  RunConfig config = ten_steps();
  config.routing.sample_paths = 0.5;
  const Timetable timetable(config, 4, true);
  const Topology topology = make_topology({.levels = "2x2"}, {.blocks = 4}, std::filesystem::path());
  Retention retention(timetable, topology);
  // Nothing released yet; all up to the second phase; all but some paths' best; all.
  const std::vector<Released> words{
      {0, {}}, {3, {}}, {7, {{PathId{1}, 7}}}, {8, {{PathId{0}, 8}, {PathId{3}, 7}}}, {10, {}}};
  for (const Released& word : words) {
    CHECK(retention.release(word) == (word.version > 0));
    int kept = 0;
    for (std::int32_t p = 0; p < 4; ++p) {
      for (std::int32_t state = 0; state <= 10; ++state) {
        INFO("released " << word.version << ", path " << p << ", state " << state);
        if (timetable.state_version(PathId{p}, state) != state) continue;  // the path has no such state
        kept += retention.keeps(PathId{p}, state) ? 1 : 0;
        CHECK(retention.keeps(PathId{p}, state) == walk_keeps(timetable, word, PathId{p}, state));
      }
    }
    CHECK((kept > 0) == (word.version < 10));
  }
}

TEST_CASE("another word on paths' best versions takes the earlier one's place", "[plan]") {
  const Timetable timetable(ten_steps(), 4, true);
  const Topology topology = make_topology({.levels = "2x2"}, {.blocks = 4}, std::filesystem::path());
  Retention retention(timetable, topology);
  CHECK(retention.release({8, {{PathId{1}, 7}}}));
  CHECK(retention.keeps(ModuleId{0, 0}, Version{7}));
  CHECK(retention.release({9, {{PathId{1}, 8}}}));
  CHECK_FALSE(retention.keeps(PathId{1}, 7));
  CHECK_FALSE(retention.keeps(ModuleId{0, 0}, Version{7}));
  CHECK(retention.keeps(PathId{1}, 8));
  CHECK(retention.keeps(ModuleId{0, 0}, Version{8}));
  CHECK(retention.released().version == 9);
}

TEST_CASE("versions are kept until what is due is done, and while they are a path's best", "[plan]") {
  const Timetable timetable(ten_steps(), 4, true);
  const Topology topology =
      make_topology({.levels = "2x2", .path_specific = ""}, {.blocks = 4}, std::filesystem::path());
  Retention retention(timetable, topology);
  CHECK(retention.keeps(PathId{0}, 7));
  CHECK_FALSE(retention.keeps(PathId{0}, 5));
  CHECK(retention.release({8, {{PathId{1}, 7}}}));
  CHECK_FALSE(retention.keeps(PathId{0}, 7));
  CHECK(retention.keeps(PathId{1}, 7));
  CHECK(retention.keeps(PathId{0}, 9));
  // Path 1 goes through expert 0 of level 0 and expert 1 of level 1.
  CHECK(retention.keeps(ModuleId{0, 0}, Version{7}));
  CHECK_FALSE(retention.keeps(ModuleId{0, 1}, Version{7}));
  CHECK(retention.keeps(ModuleId{1, 1}, Version{7}));
  CHECK_FALSE(retention.release({4, {}}));
  CHECK_FALSE(retention.keeps(PathId{0}, 7));
}

}  // namespace dipaco::testing
