#include <catch2/catch.hpp>

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

}  // namespace

TEST_CASE("a phase begins with the outer step that it is named by", "[plan]") {
  const Timetable timetable(ten_steps(), 4, true);
  CHECK(timetable.phases() == 3);
  CHECK(timetable.phase_of(2) == 0);
  CHECK(timetable.phase_of(3) == 1);
  CHECK(timetable.phase_of(5) == 1);
  CHECK(timetable.phase_of(6) == 2);
  CHECK(timetable.begin(2) == 6);
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
      if (!timetable.trains(PathId{p}, step)) continue;
      ++drawn;
      ++tasks[static_cast<std::size_t>(p)];
    }
    CHECK(drawn == timetable.trained_paths());
    CHECK(drawn == 2);
  }
  for (std::int32_t p = 0; p < 4; ++p) {
    const PathId path{p};
    CHECK(tasks[static_cast<std::size_t>(p)] == timetable.tasks_before(path, 10));
    CHECK(tasks[static_cast<std::size_t>(p)] > 0);
    std::int32_t newest = 0;
    for (std::int32_t version = 0; version <= 10; ++version) {
      CHECK(timetable.state_version(path, version) == newest);
      if (timetable.trains(path, version)) newest = version + 1;
      const std::int32_t next = timetable.next_trained(path, version);
      CHECK((next == 10 || timetable.trains(path, next)));
      for (std::int32_t between = version; between < next; ++between) CHECK_FALSE(timetable.trains(path, between));
    }
  }
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
  CHECK(retention.keeps(ModuleId{0, 0}, 7));
  CHECK_FALSE(retention.keeps(ModuleId{0, 1}, 7));
  CHECK(retention.keeps(ModuleId{1, 1}, 7));
  CHECK_FALSE(retention.release({4, {}}));
  CHECK_FALSE(retention.keeps(PathId{0}, 7));
}

}  // namespace dipaco::testing
