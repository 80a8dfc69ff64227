#include <catch2/catch.hpp>

#include "core/coordinator/tables/owner_choice.hpp"

namespace dipaco {
namespace {

constexpr NodeId kEastern{1};
constexpr NodeId kWestern{2};
constexpr NodeId kNorthern{3};
constexpr ModuleId kNearModule{0, 0};

/// Three executors at sites of their own; six paths through the module at the west's, two at the north's.
OwnerChoice near_the_west() {
  return {.near = {{kNearModule, {{SiteId{2}, 6}, {SiteId{3}, 2}}}},
          .site_of = [](NodeId executor) { return SiteId{index(executor)}; }};
}

}  // namespace

TEST_CASE("a module goes to the executor with the least, where no paths are near", "[coordinator]") {
  CHECK(OwnerChoice{}.best(kNearModule, {{kEastern, 10}, {kWestern, 5}, {kNorthern, 5}}, 100) == kWestern);
  CHECK(near_the_west().best({1, 0}, {{kEastern, 0}, {kWestern, 5}, {kNorthern, 5}}, 100) == kEastern);
}

TEST_CASE("a module goes to where most of its paths are, unless its executor has its part", "[coordinator]") {
  const OwnerChoice choice = near_the_west();
  CHECK(choice.best(kNearModule, {{kEastern, 0}, {kWestern, 5}, {kNorthern, 5}}, 10) == kWestern);
  CHECK(choice.best(kNearModule, {{kEastern, 0}, {kWestern, 10}, {kNorthern, 5}}, 10) == kNorthern);
  CHECK(choice.best(kNearModule, {{kEastern, 0}, {kWestern, 10}, {kNorthern, 10}}, 10) == kEastern);
}

TEST_CASE("of sites with as many of a module's paths, that which owns least gets it", "[coordinator]") {
  OwnerChoice choice = near_the_west();
  choice.near[kNearModule] = {{SiteId{1}, 4}, {SiteId{2}, 4}};
  CHECK(choice.best(kNearModule, {{kEastern, 5}, {kWestern, 0}, {kNorthern, 0}}, 10) == kWestern);
  // The east has two executors, of which one owns nothing yet.
  choice.site_of = [](NodeId executor) { return SiteId{executor == kNorthern ? 1 : index(executor)}; };
  CHECK(choice.best(kNearModule, {{kEastern, 6}, {kWestern, 5}, {kNorthern, 0}}, 10) == kWestern);
}

}  // namespace dipaco
