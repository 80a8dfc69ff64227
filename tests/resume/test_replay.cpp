// A simulation whose process dies goes on in another one, as if nothing had happened.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/state/simulation_archive.hpp"
#include "tests/resume/killed.hpp"
#include "tests/resume/world.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// Kills the simulation in each `stride`-th write of its archive, once each: it goes on from there to the same end.
void kill_in_writes(const World& world, const std::string& undisturbed, int stride) {
  int kills = 0;
  int write = 0;
  for (bool killed = true; killed; ++kills, write += stride) {
    const TemporaryFolder folder;
    const auto tell = [&] { return world.tell(std::make_unique<DeadlyStorage>(folder.path(), write)); };
    const auto first = in_child_for(kWhole, tell);
    killed = !first.has_value();
    if (first) CHECK(*first == undisturbed);
    INFO("killed in write " << write);
    CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }) == undisturbed);
    CHECK(used(folder.path()).whole);
  }
  std::cout << "killed in " << kills - 1 << " of " << write - stride << " writes" << std::endl;
  CHECK(kills > 30);
}

}  // namespace

TEST_CASE("a simulation killed in a write of its archive goes on, and all happens as if it had not been",
          "[resume][long]") {
  // A kill loses nothing that a sync would have kept: memory is the faster disk here.
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 1);
  const World world;
  const std::string undisturbed = in_child([&] { return world.tell(nullptr); });
  REQUIRE(undisturbed.size() == 32);
  const auto count = [&](EventKind kind) {
    return parse_integer(in_child([&] { return std::to_string(world.count(kind)); })).value_or(0);
  };
  for (const EventKind kind : {EventKind::task_handed_back, EventKind::task_requeued, EventKind::evaluation_done}) {
    CAPTURE(name(kind));
    REQUIRE(count(kind) > 1);
  }
  REQUIRE(count(EventKind::state_refused) > 0);
  const int stride = std::getenv("DIPACO_KILLS") == nullptr ? 3 : 1;  // the longer form tries each write
  kill_in_writes(world, undisturbed, stride);
}

TEST_CASE("a simulation that is killed again and again comes to its end, outer gradients dropped or not",
          "[resume][long]") {
  World world;
  world.config().outer.drop = GENERATE(0.0, 0.5);
  const std::string undisturbed = in_child([&] { return world.tell(nullptr); });
  REQUIRE(undisturbed.size() == 32);
  const TemporaryFolder folder;
  std::optional<std::string> told;
  int kills = 0;
  for (; !told; ++kills) {
    REQUIRE(kills < 100);
    told = in_child_for(kWhole, [&] { return world.tell(std::make_unique<DeadlyStorage>(folder.path(), 7)); });
  }
  CHECK(told == undisturbed);
  CHECK(kills > 10);
}

TEST_CASE("what is on disk is read instead of computed", "[resume]") {
  World world;
  const TemporaryFolder folder;
  const std::string undisturbed = in_child([&] { return world.tell(kept_in(folder.path())); });
  world.forbid_computing();
  CHECK(in_child([&] { return world.tell(nullptr); }) == "threw: inner steps are computed");
  CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }) == undisturbed);
}

TEST_CASE("a state that was refused once is refused in a replay, though nothing is computed or nothing is spoilt again",
          "[resume]") {
  World world;
  world.spoil_once();
  REQUIRE(in_child([&] { return std::to_string(world.count(EventKind::state_refused)); }) != "0");
  const TemporaryFolder whole;
  const std::string undisturbed = in_child([&] { return world.tell(kept_in(whole.path())); });
  REQUIRE(undisturbed.size() == 32);
  for (const int write : {30, 60, 90}) {
    INFO("killed in write " << write);
    const TemporaryFolder folder;
    world.spoil_once();
    const auto tell = [&] { return world.tell(std::make_unique<DeadlyStorage>(folder.path(), write)); };
    CHECK_FALSE(in_child_for(kWhole, tell).has_value());
    world.spoil_no_more();
    CHECK(in_child([&] { return world.tell(nullptr); }) != undisturbed);
    CHECK(in_child([&] { return world.tell(kept_in(folder.path())); }) == undisturbed);
  }
  world.forbid_computing();
  CHECK(in_child([&] { return world.tell(kept_in(whole.path())); }) == undisturbed);
}

TEST_CASE("a simulation that exchanges gradients goes on as if it had not been killed, with what was lost made again",
          "[resume][long]") {
  World world;
  world.exchange_gradients();
  const std::string undisturbed = in_child([&] { return world.tell(nullptr); });
  REQUIRE(undisturbed.size() == 32);
  REQUIRE(in_child([&] { return std::to_string(world.count(EventKind::remaking_done)); }) != "0");
  kill_in_writes(world, undisturbed, 3);
  const TemporaryFolder whole;
  CHECK(in_child([&] { return world.tell(kept_in(whole.path())); }) == undisturbed);
  world.forbid_computing();
  CHECK(in_child([&] { return world.tell(nullptr); }) == "threw: gradients are computed");
  CHECK(in_child([&] { return world.tell(kept_in(whole.path())); }) == undisturbed);
}

TEST_CASE("an archive has the shards of one past phase in memory, and the others on disk", "[resume]") {
  const World world;
  const TemporaryFolder folder;
  REQUIRE(in_child([&] { return world.tell(kept_in(folder.path())); }).size() == 32);
  const RunPlan plan = world.plan();
  REQUIRE(plan.timetable.phases() == 3);
  SimulationArchive archive(plan, kept_in(folder.path()));
  CHECK(archive.shards(1).has_value());
  CHECK(archive.shards(2).has_value());
  std::filesystem::remove(folder.path() / "shards/1");
  std::filesystem::remove(folder.path() / "shards/2");
  CHECK(archive.shards(2).has_value());
  CHECK_THROWS_AS(archive.shards(1), DataError);
}

TEST_CASE("an archive does not grow with the outer steps, but for its records", "[resume]") {
  World world;
  world.config().routing.reshard_at = "3,5";
  world.config().evaluate.early_stopping = false;  // which versions are kept is what it finds
  const auto use = [&](std::int64_t outer_steps) {
    world.config().outer.steps = outer_steps;
    const TemporaryFolder folder;
    const std::string told = in_child([&] { return world.tell(kept_in(folder.path())); });
    CHECK(told.size() == 32);
    Used all = used(folder.path());
    const auto records = std::filesystem::file_size(folder.path() / "records");
    CHECK(records < static_cast<std::uintmax_t>(200 * 4 * outer_steps));
    all.bytes -= records;
    return all;
  };
  const Used few = use(7);
  const Used many = use(41);
  CHECK(many.files == few.files);
  CHECK(many.bytes < few.bytes * 11 / 10);
}

TEST_CASE("an archive whose records are damaged is refused, naming the byte", "[resume]") {
  const World world;
  const TemporaryFolder folder;
  REQUIRE(in_child([&] { return world.tell(kept_in(folder.path())); }).size() == 32);
  auto bytes = read_file(folder.path() / "records");
  bytes[bytes.size() / 2] ^= std::byte{1};
  write_file(folder.path() / "records", bytes);
  CHECK_THAT(in_child([&] { return world.tell(kept_in(folder.path())); }),
             Catch::Contains("threw: records: damaged at byte "));
}

}  // namespace dipaco::testing
