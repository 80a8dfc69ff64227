// As test_replay.cpp, under a policy that steps a module when half of its paths have given and drops what comes later.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "tests/resume/killed.hpp"
#include "tests/resume/world.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

int count(const World& world, EventKind kind) {
  return static_cast<int>(parse_integer(in_child([&] { return std::to_string(world.count(kind)); })).value_or(0));
}

/// The simulation under this policy, killed in some of its writes.
void check_goes_on(const std::function<void(World&)>& follow_policy) {
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  World world(World::Rounds::no);
  const std::string half = in_child([&] { return world.tell(nullptr); });
  follow_policy(world);
  const std::string undisturbed = in_child([&] { return world.tell(nullptr); });
  REQUIRE(undisturbed.size() == 32);
  CHECK(undisturbed != half);
  for (const int write : {20, 60, 100}) {
    INFO("killed in write " << write);
    const TemporaryFolder folder;
    const auto deadly = [&] { return world.tell(std::make_unique<DeadlyStorage>(folder.path(), write)); };
    CHECK_FALSE(in_child_for(kWhole, deadly));
    CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }) == undisturbed);
  }
}

}  // namespace

TEST_CASE("a simulation without rounds that was killed goes on, and all happens as if it had not been",
          "[resume][long]") {
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  const World world(World::Rounds::no);
  const std::string undisturbed = in_child([&] { return world.tell(nullptr); });
  REQUIRE(undisturbed.size() == 32);
  CHECK(count(world, EventKind::task_requeued) > 1);
  CHECK(count(world, EventKind::task_handed_back) > 1);
  CHECK(count(world, EventKind::module_stepped) > 40);  // four modules, ten tasks a path: more versions than rounds
  const int stride = std::getenv("DIPACO_KILLS") == nullptr ? 3 : 1;  // the longer form tries each write
  int kills = 0;
  for (int write = 0;; write += stride, ++kills) {
    INFO("killed in write " << write);
    const TemporaryFolder folder;
    const auto deadly = [&] { return world.tell(std::make_unique<DeadlyStorage>(folder.path(), write)); };
    const auto first = in_child_for(kWhole, deadly);
    if (first) CHECK(*first == undisturbed);
    CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }) == undisturbed);
    if (first) break;
  }
  CHECK(kills > 30);
}

TEST_CASE("a simulation whose late contributions are compensated goes on as if it had not been killed", "[resume]") {
  check_goes_on(&World::step_on_arrival);
}

TEST_CASE("a simulation whose tasks are as long as machines are fast goes on as if it had not been killed",
          "[resume]") {
  check_goes_on(&World::train_by_speed);
}

TEST_CASE("a simulation whose modules step at a quorum after a grace goes on as if it had not been killed",
          "[resume]") {
  check_goes_on(&World::step_at_quorum);
}

TEST_CASE("a simulation of two regions goes on as if it had not been killed", "[resume]") {
  check_goes_on(&World::merge_regions);
}

TEST_CASE("a simulation of two regions that was killed in any write goes on as if it had not been", "[resume][long]") {
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  World world(World::Rounds::no);
  world.merge_regions();
  const std::string undisturbed = in_child([&] { return world.tell(nullptr); });
  REQUIRE(undisturbed.size() == 32);
  const int stride = std::getenv("DIPACO_KILLS") == nullptr ? 3 : 1;
  int kills = 0;
  for (int write = 1;; write += stride, ++kills) {
    INFO("killed in write " << write);
    const TemporaryFolder folder;
    const auto deadly = [&] { return world.tell(std::make_unique<DeadlyStorage>(folder.path(), write)); };
    const auto first = in_child_for(kWhole, deadly);
    if (first) CHECK(*first == undisturbed);
    CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }) == undisturbed);
    if (first) break;
  }
  CHECK(kills > 30);
}

TEST_CASE("what a simulation without rounds has on disk is read instead of computed", "[resume]") {
  World world(World::Rounds::no);
  const TemporaryFolder folder;
  const std::string undisturbed = in_child([&] { return world.tell(kept_in(folder.path())); });
  REQUIRE(undisturbed.size() == 32);
  world.forbid_computing();
  CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }) == undisturbed);
}

TEST_CASE("an archive without rounds keeps the newest versions, and those that open tasks began with", "[resume]") {
  World world(World::Rounds::no);
  const auto files = [&](std::int64_t outer_steps) {
    world.config().outer.steps = outer_steps;
    const TemporaryFolder folder;
    CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }).size() == 32);
    return used(folder.path()).files;
  };
  const int few = files(8);
  CHECK(files(40) <= few + 4);
}

TEST_CASE("an archive without rounds that lacks a path's state is refused", "[resume]") {
  const World world(World::Rounds::no);
  const TemporaryFolder folder;
  REQUIRE(in_child([&] { return world.tell(kept_in(folder.path())); }).size() == 32);
  std::filesystem::remove_all(folder.path() / "paths/0");
  CHECK_THAT(in_child([&] { return world.tell(kept_in(folder.path())); }), Catch::Contains("files are missing"));
}

}  // namespace dipaco::testing
