#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/queue/places/path_homes.hpp"
#include "core/queue/waiting/planned_homes.hpp"
#include "tests/queue/sites.hpp"
#include "tests/support/draws.hpp"

namespace dipaco::testing {
namespace {

constexpr SiteId kSouth{3};
const std::vector<std::uint64_t> kEqual{10, 10};

Topology grid(const char* levels) { return make_topology({.levels = levels}, {.blocks = 2}, "."); }

/// Over all sites: how many modules each has paths of.
std::size_t modules_at_sites(const Topology& topology, const std::vector<SiteId>& homes) {
  std::size_t all = 0;
  for (const auto& [module, sites] : paths_near(topology, homes)) all += sites.size();
  return all;
}

std::int64_t paths_at(const std::vector<SiteId>& homes, SiteId site) { return std::ranges::count(homes, site); }

}  // namespace

TEST_CASE("paths that share modules share sites: on a grid, each site gets a square", "[queue]") {
  const Topology topology = grid("8x8");
  const ExchangeTimes::TasksAt each{{kEast, 16}, {kWest, 16}, {kNorth, 16}, {kSouth, 16}};
  const auto homes = path_homes(topology, kEqual, each).homes;
  REQUIRE(homes.size() == 64);
  for (const auto& [site, tasks] : each) CHECK(paths_at(homes, site) == tasks);
  CHECK(modules_at_sites(topology, homes) == 4 * (4 + 4));  // two whole rows each would be 2 + 8
}

TEST_CASE("a square is trained in squares, so that modules of both levels have all outer gradients early", "[queue]") {
  // Blocks that are the path's own are a level, too.
  const Topology topology = make_topology({.levels = "4x4", .path_specific = "blocks:0"}, {.blocks = 3}, ".");
  const PathPlan plan =
      path_homes(topology, std::vector<std::uint64_t>{10, 10, 10}, {{kEast, 4}, {kWest, 4}, {kNorth, 4}, {kSouth, 4}});
  const std::vector<std::int32_t> squares{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
  REQUIRE(plan.order.size() == 16);
  for (std::size_t k = 0; k < 16; ++k) CHECK(index(plan.order[k]) == squares[k]);
}

TEST_CASE("a site gets its part of the paths, the largest first, and shares as little as it can", "[queue]") {
  const Topology topology = grid("4x4");
  const auto homes = path_homes(topology, kEqual, {{kWest, 4}, {kEast, 12}}).homes;
  CHECK(paths_at(homes, kEast) == 12);
  CHECK(paths_at(homes, kWest) == 4);
  CHECK(modules_at_sites(topology, homes) <= 8 + 5);
  // Half as many tasks as paths: the same parts.
  CHECK(path_homes(topology, kEqual, {{kWest, 2}, {kEast, 6}}).homes == homes);
  // Modules of the first level are eight times as large: a site gets whole rows, whose module no other has.
  const std::vector<std::uint64_t> large_first{80, 10};
  const auto rows = paths_near(topology, path_homes(topology, large_first, {{kWest, 8}, {kEast, 8}}).homes);
  for (std::int32_t expert = 0; expert < 4; ++expert) CHECK(rows.at({0, expert}).size() == 1);
}

TEST_CASE("the modules that a site alone has get their outer gradients one after another", "[queue]") {
  const Topology topology = grid("4x4");
  const std::vector<std::uint64_t> large_last{10, 80};
  const PathPlan plan = path_homes(topology, large_last, {{kWest, 8}, {kEast, 8}});
  const auto columns = paths_near(topology, plan.homes);
  for (std::int32_t expert = 0; expert < 4; ++expert) CHECK(columns.at({1, expert}).size() == 1);
  REQUIRE(plan.order.size() == 16);
  for (std::size_t k = 0; k < 16; ++k) {
    CHECK(topology.module(plan.order[k], 1).expert == static_cast<std::int32_t>(k / 4));
    CHECK(topology.module(plan.order[k], 0).expert == static_cast<std::int32_t>(k % 4));
  }
}

TEST_CASE("a path may begin anywhere where one site does all, or all paths go through the same modules", "[queue]") {
  CHECK(path_homes(grid("4x4"), kEqual, {{kEast, 16}}).homes.empty());
  CHECK(path_homes(grid("4x4"), kEqual, {{kEast, 16}, {kWest, 0}}).homes.empty());
  CHECK(path_homes(grid("4x4"), kEqual, {}).homes.empty());
  CHECK(path_homes(grid("shared:4"), kEqual, {{kEast, 2}, {kWest, 2}}).homes.empty());
  CHECK(path_homes(grid("flat:4"), kEqual, {{kEast, 2}, {kWest, 2}}).homes.empty());
}

TEST_CASE("homes are no worse than paths in their order, on drawn grids and sites", "[queue]") {
  Draws random(28);
  for (int drawn = 0; drawn < 200; ++drawn) {
    const auto rows = 2 + random.below(7);
    const auto columns = 2 + random.below(7);
    const Topology topology = grid((std::to_string(rows) + "x" + std::to_string(columns)).c_str());
    ExchangeTimes::TasksAt tasks;
    std::vector<SiteId> in_order;
    const std::int32_t sites = 2 + random.below(3);
    for (std::int32_t p = 0; p < topology.paths(); ++p) {
      in_order.push_back(SiteId{random.below(sites)});
      ++tasks[in_order.back()];
    }
    std::ranges::stable_sort(in_order, {}, [&](SiteId site) { return std::pair(-tasks.at(site), site); });
    const auto [homes, order] = path_homes(topology, kEqual, tasks);
    if (homes.empty()) continue;
    for (const auto& [site, count] : tasks) CHECK(paths_at(homes, site) == count);
    INFO(rows << "x" << columns << " on " << sites << " sites");
    CHECK(modules_at_sites(topology, homes) <= modules_at_sites(topology, in_order));
  }
}

TEST_CASE("a free worker takes a path that should begin at its site, where one of the same outer step waits",
          "[queue]") {
  PlannedHomes homes;
  const auto any = [](PathId /*path*/) { return true; };
  const PlannedHomes::Task first{OuterStep{0}, PathId{0}};
  for (std::int32_t p = 0; p < 4; ++p) homes.add({OuterStep{p / 3}, PathId{p}});
  CHECK(homes.instead_of(first, kWest, any) == PathId{0});  // anywhere
  homes.homes_are({kEast, kWest, kWest, kNorth}, std::vector{PathId{2}, PathId{1}, PathId{0}, PathId{3}});
  CHECK(homes.instead_of(first, kEast, any) == PathId{0});
  CHECK(homes.instead_of(first, kWest, any) == PathId{2});
  CHECK(homes.instead_of({OuterStep{0}, PathId{1}}, kWest, any) == PathId{2});
  CHECK(homes.instead_of(first, kWest, [](PathId path) { return path != PathId{2}; }) == PathId{1});
  CHECK(homes.instead_of(first, kNorth, any) == PathId{0});  // the north's is of the next outer step
  homes.remove({OuterStep{0}, PathId{1}});
  homes.remove({OuterStep{0}, PathId{2}});
  CHECK(homes.instead_of(first, kWest, any) == PathId{0});
  // The turn of a path that is at a site already stays its own.
  homes.add({OuterStep{0}, PathId{1}});
  homes.remove(first);
  CHECK(homes.instead_of(first, kWest, any) == PathId{0});
}

}  // namespace dipaco::testing
