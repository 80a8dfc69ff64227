#include <catch2/catch.hpp>
#include <set>

#include "core/base/error.hpp"
#include "core/state/module_files.hpp"
#include "core/state/path_values.hpp"
#include "core/storage/memory_storage.hpp"
#include "tests/support/half_policy.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {
namespace {

constexpr ModuleId kModule{0, 1};

/// A version whose parameters tell which one it is.
ModuleState state_of(const RunPlan& plan, std::int32_t version) {
  ModuleState state{.version = Version{version},
                    .update = {.applied = {{PathId{2}, OuterStep{version - 1}, Version{version - 1}, 5, 0.25}},
                               .dropped = {{PathId{3}, OuterStep{version - 1}, "late"}},
                               .scale = 2,
                               .norm = 0.5},
                    .settled = {{PathId{2}, OuterStep{version}}, {PathId{3}, OuterStep{version}}},
                    .parameters = start_module(plan, kModule),
                    .velocity = {}};
  const std::uint64_t charged = state.parameters.charged;
  const std::size_t size = plan.layout.levels[0].size;
  state.parameters = make_values(std::vector<float>(size, static_cast<float>(version)), charged);
  state.velocity = make_values(std::vector<float>(size, -0.5F), charged);
  return state;
}

void keep_versions(ModuleFiles& files, const RunPlan& plan, std::int32_t first, std::int32_t last) {
  for (std::int32_t version = first; version <= last; ++version) files.keep(kModule, state_of(plan, version));
}

std::vector<std::int32_t> versions_in(const ModuleFiles& files) {
  std::vector<std::int32_t> versions;
  for (const Version version : files.versions(kModule)) versions.push_back(number(version));
  return versions;
}

using Numbers = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("a version that is kept is read back as it was, by another opening of the storage too", "[state]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  MemoryStorage storage;
  ModuleFiles first(plan, storage);
  const ModuleState kept = state_of(plan, 2);
  first.keep(kModule, kept);
  const ModuleFiles again(plan, storage);
  for (const ModuleFiles* const files : {&std::as_const(first), &again}) {
    REQUIRE(files->has(kModule, Version{2}));
    const ModuleState read = files->read(kModule, Version{2});
    CHECK(read.version == kept.version);
    CHECK(read.update == kept.update);
    CHECK(read.settled == kept.settled);
    CHECK(*read.parameters.data == *kept.parameters.data);
    CHECK(read.parameters.charged == kept.parameters.charged);
    CHECK(*read.velocity.data == *kept.velocity.data);
    CHECK(read.velocity.charged == kept.velocity.charged);
  }
}

TEST_CASE("of a run that learns nothing what made a version is kept, and its charge is known", "[state]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan_of_costs();
  MemoryStorage storage;
  ModuleFiles files(plan, storage);
  files.keep(kModule, state_of(plan, 2));
  const ModuleState read = files.read(kModule, Version{2});
  CHECK(read.update == state_of(plan, 2).update);
  CHECK(read.settled == state_of(plan, 2).settled);
  CHECK(read.parameters.data == nullptr);
  CHECK(read.parameters.charged == plan.charged.levels[0].size);
}

TEST_CASE("in rounds the newest version is kept, and those before it that an evaluation needs", "[state]") {
  MadeUpRun made("2x2");
  made.config.evaluate.every = 2;
  made.config.outer.steps = 8;
  const RunPlan plan = made.plan();
  MemoryStorage storage;
  ModuleFiles files(plan, storage);
  keep_versions(files, plan, 1, 5);
  CHECK(versions_in(files) == Numbers{2, 4, 5});
  files.keep_only({.module = kModule, .newest = Version{5}, .bases = {Version{2}}});  // says nothing in rounds
  files.release({.version = 2});
  CHECK(versions_in(files) == Numbers{4, 5});
  CHECK(versions_in(ModuleFiles(plan, storage)) == Numbers{4, 5});
  files.release({.version = 1});
  files.keep(kModule, state_of(plan, 6));
  CHECK(versions_in(files) == Numbers{4, 6});
}

TEST_CASE("without rounds all versions are kept until a word says which tasks began with", "[state]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = plan_without_rounds(made);
  MemoryStorage storage;
  ModuleFiles files(plan, storage);
  keep_versions(files, plan, 1, 6);
  CHECK(versions_in(files) == Numbers{1, 2, 3, 4, 5, 6});
  files.keep_only({.module = {0, 0}, .newest = Version{6}, .bases = {}});  // of another module
  CHECK(versions_in(files) == Numbers{1, 2, 3, 4, 5, 6});
  files.keep_only({.module = kModule, .newest = Version{5}, .bases = {Version{1}, Version{3}}});
  CHECK(versions_in(files) == Numbers{1, 3, 5, 6});
  CHECK_FALSE(files.has(kModule, Version{2}));
  CHECK(versions_in(ModuleFiles(plan, storage)) == Numbers{1, 3, 5, 6});
}

TEST_CASE("an older word of what tasks began with changes nothing", "[state]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = plan_without_rounds(made);
  MemoryStorage storage;
  ModuleFiles files(plan, storage);
  keep_versions(files, plan, 1, 5);
  files.keep_only({.module = kModule, .newest = Version{4}, .bases = {Version{2}}});
  files.keep_only({.module = kModule, .newest = Version{3}, .bases = {}});
  CHECK(versions_in(files) == Numbers{2, 4, 5});
  files.keep_only({.module = kModule, .newest = Version{4}, .bases = {}});  // as new as the other, and later
  CHECK(versions_in(files) == Numbers{4, 5});
}

TEST_CASE("a word of what tasks began with holds for versions that are kept later", "[state]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = plan_without_rounds(made);
  MemoryStorage storage;
  ModuleFiles files(plan, storage);
  files.keep_only({.module = kModule, .newest = Version{4}, .bases = {Version{1}}});  // before there is any
  keep_versions(files, plan, 1, 6);
  CHECK(versions_in(files) == Numbers{1, 4, 5, 6});
}

TEST_CASE("the parameters that a task began with are those of the start or of a version that is kept", "[state]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = plan_without_rounds(made);
  MemoryStorage storage;
  ModuleFiles files(plan, storage);
  keep_versions(files, plan, 1, 3);
  files.keep_only({.module = kModule, .newest = Version{3}, .bases = {Version{1}}});
  CHECK(*files.parameters(kModule, Version{0}).data == *start_module(plan, kModule).data);
  CHECK(*files.parameters(kModule, Version{1}).data == *state_of(plan, 1).parameters.data);
  CHECK(*files.parameters(kModule, Version{3}).data == *state_of(plan, 3).parameters.data);
  CHECK_THROWS_AS(files.parameters(kModule, Version{2}), DataError);
  CHECK_THROWS_WITH(files.parameters(kModule, Version{2}), Catch::Contains("version 2 of module 0.1"));
  CHECK_THROWS_AS(files.parameters({1, 0}, Version{1}), DataError);
}

TEST_CASE("in rounds the newest version of each module is held, under no ownership", "[state]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  MemoryStorage storage;
  ModuleFiles files(plan, storage);
  CHECK(files.held().empty());
  keep_versions(files, plan, 1, 3);
  files.keep({0, 0}, state_of(plan, 1));
  const auto held = files.held();
  REQUIRE(held.size() == 2);
  CHECK(held[0].module == ModuleId{0, 0});
  CHECK(held[0].version == Version{1});
  CHECK(held[1].module == kModule);
  CHECK(held[1].version == Version{3});
  CHECK(held[1].epoch == 0);
  CHECK(files.versions({1, 0}).empty());
}

TEST_CASE("without rounds all versions are held, of one number those of each owner that made one", "[state]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = plan_without_rounds(made);
  MemoryStorage storage;
  ModuleFiles files(plan, storage);
  const std::vector<Version> versions{{1, 1}, {2, 1}, {2, 3}};
  for (const Version version : versions) {
    ModuleState state = state_of(plan, 10 * version.number + version.owner);
    state.version = version;
    files.keep(kModule, state);
  }
  const ModuleFiles again(plan, storage);
  CHECK(again.versions(kModule) == versions);
  CHECK(again.held().size() == 3);
  CHECK(again.read(kModule, {2, 1}).version == Version{2, 1});
  CHECK(again.parameters(kModule, {2, 1}).data->front() == 21);
  CHECK(again.parameters(kModule, {2, 3}).data->front() == 23);
  CHECK(storage.get("modules/0.1/2.3").has_value());
  files.keep_only({.module = kModule, .newest = {3, 3}, .bases = {{2, 3}}});
  CHECK(files.versions(kModule) == std::vector<Version>{{2, 3}});
}

TEST_CASE("files among a node's modules that are damaged, gone or none of them are refused by name", "[state]") {
  const MadeUpRun made("2x2");
  const RunPlan plan = made.plan();
  MemoryStorage storage;
  ModuleFiles files(plan, storage);
  files.keep(kModule, state_of(plan, 2));
  auto bytes = storage.get("modules/0.1/2");
  REQUIRE(bytes);
  (*bytes)[bytes->size() / 2] ^= std::byte{1};
  storage.put("modules/0.1/2", *bytes);
  CHECK_THROWS_AS(files.read(kModule, Version{2}), DataError);
  CHECK_THROWS_WITH(files.read(kModule, Version{2}), Catch::Contains("modules/0.1/2"));
  storage.remove("modules/0.1/2");
  CHECK_THROWS_WITH(files.read(kModule, Version{2}), Catch::Contains("modules/0.1/2"));
  for (const char* const name : {"modules/0.1/two", "modules/0/2", "modules/0.1"}) {
    MemoryStorage other;
    other.put(name, *bytes);
    CHECK_THROWS_AS(ModuleFiles(plan, other), DataError);
    CHECK_THROWS_WITH(ModuleFiles(plan, other), Catch::Contains(name));
  }
}

TEST_CASE("where gradients are exchanged, what a path's last task began with is kept, too", "[state]") {
  MadeUpRun made("2x2");
  made.config.outer.policy = "gradients";
  made.config.inner.steps = 1;
  made.config.outer.steps = 12;
  MemoryStorage storage;
  {
    const RunPlan plan = made.plan();
    ModuleFiles files(plan, storage);
    keep_versions(files, plan, 1, 5);
    CHECK(versions_in(files) == Numbers{4, 5});  // each path's task at outer step 4 is its last
  }
  made.config.routing.sample_paths = 0.25;  // one path of four at each outer step
  const RunPlan plan = made.plan();
  MemoryStorage sampled;
  ModuleFiles files(plan, sampled);
  keep_versions(files, plan, 1, 11);
  std::set<std::int32_t> expected{11};
  for (const PathId path : plan.topology.paths_through(kModule)) {
    const std::int32_t state = plan.timetable.state_version(path, 11);  // made by the path's last task
    if (state > 1) expected.insert(state - 1);
  }
  CHECK(expected.size() > 2);
  CHECK(versions_in(files) == Numbers(expected.begin(), expected.end()));
}

}  // namespace dipaco
