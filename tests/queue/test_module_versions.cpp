#include <catch2/catch.hpp>

#include "core/queue/module_versions.hpp"
#include "tests/support/half_policy.hpp"

namespace dipaco::testing {
namespace {

using Modules = std::vector<ModuleId>;

/// Paths (0,0) (0,1) (1,0) (1,1), each with a block of its own in level 2.
Topology with_own_blocks() { return make_topology({.levels = "2x2", .path_specific = "blocks:1"}, {.blocks = 4}, "."); }

const std::vector<SettledPath> kNothingSettled;

}  // namespace

TEST_CASE("in rounds a path awaits those of its shared modules that are behind its next outer step", "[queue]") {
  const Topology topology = with_own_blocks();
  ModuleVersions modules(topology, sync_policy("synchronous"));
  CHECK(modules.awaited(PathId{1}, OuterStep{0}, OuterStep{0}).empty());
  CHECK(modules.awaited(PathId{1}, OuterStep{1}, OuterStep{1}) == Modules{{0, 0}, {1, 1}});
  modules.ready({1, 1}, Version{1}, kNothingSettled);
  CHECK(modules.awaited(PathId{1}, OuterStep{1}, OuterStep{1}) == Modules{{0, 0}});
  CHECK(modules.awaited(PathId{2}, OuterStep{1}, OuterStep{1}) == Modules{{0, 1}, {1, 0}});
  modules.ready({0, 0}, Version{1}, kNothingSettled);
  CHECK(modules.awaited(PathId{1}, OuterStep{1}, OuterStep{1}).empty());
  CHECK(modules.awaited(PathId{1}, OuterStep{2}, OuterStep{1}) == Modules{{0, 0}, {1, 1}});
}

TEST_CASE("without rounds a path awaits its own contributions to be settled, whatever the versions", "[queue]") {
  const Topology topology = with_own_blocks();
  const SyncPolicy policy = half_policy();
  ModuleVersions modules(topology, policy);
  CHECK(modules.awaited(PathId{1}, OuterStep{0}, OuterStep{0}).empty());
  modules.ready({0, 0}, Version{5}, {{PathId{0}, OuterStep{1}}});  // another path's
  CHECK(modules.awaited(PathId{1}, OuterStep{1}, OuterStep{1}) == Modules{{0, 0}, {1, 1}});
  modules.ready({0, 0}, Version{5}, {{PathId{1}, OuterStep{1}}});
  CHECK(modules.awaited(PathId{1}, OuterStep{1}, OuterStep{1}) == Modules{{1, 1}});
  modules.ready({1, 1}, Version{0}, {{PathId{1}, OuterStep{1}}});  // a drop: there is no new version
  CHECK(modules.awaited(PathId{1}, OuterStep{1}, OuterStep{1}).empty());
  CHECK(modules.awaited(PathId{1}, OuterStep{2}, OuterStep{2}) == Modules{{0, 0}, {1, 1}});
}

TEST_CASE("all have done as many rounds as the shared module that is furthest behind", "[queue]") {
  const Topology topology = with_own_blocks();
  ModuleVersions modules(topology, sync_policy("synchronous"));
  CHECK(modules.rounds_done() == 0);
  for (const ModuleId module : {ModuleId{0, 0}, {0, 1}, {1, 0}}) modules.ready(module, Version{2}, kNothingSettled);
  CHECK(modules.rounds_done() == 0);
  modules.ready({1, 1}, Version{1}, kNothingSettled);
  CHECK(modules.rounds_done() == 1);
  modules.restore({1, 1}, Version{3}, {});
  CHECK(modules.rounds_done() == 2);
}

TEST_CASE("no rounds are done where there are none, or where no module is shared", "[queue]") {
  const Topology topology = with_own_blocks();
  const SyncPolicy policy = half_policy();
  CHECK(ModuleVersions(topology, policy).rounds_done() == std::nullopt);
  const Topology flat = make_topology({.levels = "flat:2"}, {.blocks = 1}, ".");
  CHECK(ModuleVersions(flat, sync_policy("synchronous")).rounds_done() == std::nullopt);
}

TEST_CASE("a newer version or a later outer step that is settled is news, and nothing goes back", "[queue]") {
  const Topology topology = with_own_blocks();
  ModuleVersions modules(topology, sync_policy("synchronous"));
  const ModuleId module{0, 1};
  CHECK(modules.ready(module, Version{2}, {{PathId{2}, OuterStep{2}}, {PathId{3}, OuterStep{1}}}));
  CHECK_FALSE(modules.ready(module, Version{2}, {{PathId{2}, OuterStep{2}}, {PathId{3}, OuterStep{1}}}));
  CHECK_FALSE(modules.ready(module, Version{1}, {{PathId{2}, OuterStep{1}}}));
  CHECK(modules.version(module) == Version{2});
  CHECK(modules.settled(module, PathId{2}) == OuterStep{2});
  CHECK(modules.ready(module, Version{1},
                      {{PathId{2}, OuterStep{1}}, {PathId{3}, OuterStep{2}}}));  // the second path is further
  CHECK(modules.version(module) == Version{2});
  CHECK(modules.settled(module, PathId{2}) == OuterStep{2});
  CHECK(modules.settled(module, PathId{3}) == OuterStep{2});
  CHECK(modules.ready(module, Version{3}, kNothingSettled));
  CHECK(modules.version(module) == Version{3});
  CHECK(modules.version({0, 0}) == Version{0});
  CHECK(modules.settled({0, 0}, PathId{2}) == OuterStep{0});
}

TEST_CASE("a path's newest versions are those of its shared modules, by level", "[queue]") {
  const Topology topology = with_own_blocks();
  ModuleVersions modules(topology, sync_policy("synchronous"));
  modules.ready({0, 1}, Version{2}, kNothingSettled);
  modules.ready({1, 0}, Version{3}, kNothingSettled);
  CHECK(modules.newest(PathId{2}) == Base{{{0, 1}, Version{2}}, {{1, 0}, Version{3}}});
  CHECK(modules.newest(PathId{3}) == Base{{{0, 1}, Version{2}}, {{1, 1}, Version{0}}});
}

TEST_CASE("what a journal says of a module takes the place of what was known", "[queue]") {
  const Topology topology = with_own_blocks();
  ModuleVersions modules(topology, sync_policy("synchronous"));
  modules.ready({1, 0}, Version{1}, {{PathId{0}, OuterStep{1}}});
  modules.restore({1, 0}, Version{4}, {{PathId{2}, OuterStep{4}}});
  CHECK(modules.version({1, 0}) == Version{4});
  CHECK(modules.settled({1, 0}) == std::map<PathId, OuterStep>{{PathId{2}, OuterStep{4}}});
  CHECK(modules.settled({1, 0}, PathId{0}) == OuterStep{0});
}

}  // namespace dipaco::testing
