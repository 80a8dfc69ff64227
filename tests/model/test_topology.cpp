#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/model/topology.hpp"

namespace dipaco {
namespace {

Topology make(const std::string& levels, const std::string& specific = "", std::int64_t blocks = 12) {
  return make_topology({.levels = levels, .path_specific = specific}, {.blocks = blocks}, ".");
}

}  // namespace

TEST_CASE("16x16 has 256 paths, 16 through each module, each path its own pair of experts", "[model]") {
  const Topology topology = make("16x16");  // §2.3, K = (16, 16)
  REQUIRE(topology.paths() == 256);
  REQUIRE(topology.modules().size() == 32);
  for (const ModuleId module : topology.modules()) CHECK(topology.paths_through(module).size() == 16);
  std::set<std::pair<int, int>> pairs;
  for (std::int32_t p = 0; p < 256; ++p) {
    pairs.emplace(topology.module(PathId{p}, 0).expert, topology.module(PathId{p}, 1).expert);
  }
  CHECK(pairs.size() == 256);
}

TEST_CASE("one level is a flat mixture: no module is shared", "[model]") {
  const Topology topology = make("flat:8");  // §2.6.3
  CHECK(topology.levels() == 1);
  for (const ModuleId module : topology.modules()) CHECK(topology.path_specific(module));
}

TEST_CASE("shared:8 is DiLoCo: one module that eight paths share", "[model]") {
  const Topology topology = make("shared:8");
  REQUIRE(topology.modules().size() == 1);
  CHECK(topology.paths_through({0, 0}).size() == 8);
}

TEST_CASE("blocks go to the levels one after the other, a remainder to the first levels", "[model]") {
  const Topology topology = make("2x2x2", "", 8);
  CHECK(topology.level(0).blocks == std::vector<std::int64_t>{0, 1, 2});
  CHECK(topology.level(1).blocks == std::vector<std::int64_t>{3, 4, 5});
  CHECK(topology.level(2).blocks == std::vector<std::int64_t>{6, 7});
  CHECK_FALSE(topology.level(0).embedding);
  CHECK(topology.level(2).embedding);
  CHECK(topology.level(2).final_norm);
}

TEST_CASE("path-specific parts make one more level with as many experts as paths", "[model]") {
  const Topology topology = make("2x4", "blocks:0,5,6,11;embedding");  // §2.6.1, Fig. 5
  REQUIRE(topology.levels() == 3);
  CHECK(topology.paths() == 8);  // not the product 2 x 4 x 8 of the K_l
  CHECK(topology.level(0).blocks == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(topology.level(1).blocks == std::vector<std::int64_t>{7, 8, 9, 10});
  CHECK(topology.level(2).blocks == std::vector<std::int64_t>{0, 5, 6, 11});
  CHECK(topology.level(2).embedding);
  CHECK_FALSE(topology.level(1).embedding);
  for (std::int32_t p = 0; p < 8; ++p) CHECK(topology.path_specific({2, p}));
}

TEST_CASE("a table file fills the table as it stands", "[model]") {
  const auto file = std::filesystem::temp_directory_path() / "dipaco-table.txt";
  write_file(file, "# path: experts\n0 0\n0 1\n1 1\n");
  const Topology topology = make_topology({.levels = file.filename().string()}, {}, file.parent_path());
  CHECK(topology.paths() == 3);
  CHECK(topology.paths_through({1, 1}) == std::vector<PathId>{PathId{1}, PathId{2}});
  write_file(file, "0 0\n0\n");
  CHECK_THROWS_WITH(make_topology({.levels = file.filename().string()}, {}, file.parent_path()),
                    Catch::Contains("dipaco-table.txt:2"));
  write_file(file, "0 0\n0 2\n0 2\n");
  CHECK_THROWS_WITH(make_topology({.levels = file.filename().string()}, {}, file.parent_path()),
                    Catch::Contains("no path goes through level 1, expert 1"));
  write_file(file, "0 0\n0 2\n");
  CHECK_THROWS_WITH(make_topology({.levels = file.filename().string()}, {}, file.parent_path()),
                    Catch::Contains("level 1 has 3 experts and there are 2 paths"));
  std::filesystem::remove(file);
}

TEST_CASE("what does not fit is a configuration error", "[model]") {
  CHECK_THROWS_AS(make("2y4"), ConfigError);
  CHECK_THROWS_AS(make("2x0"), ConfigError);
  CHECK_THROWS_AS(make("flat:"), ConfigError);
  CHECK_THROWS_AS(make("300x300"), ConfigError);
  CHECK_THROWS_WITH(make("2x2x2", "", 2), Catch::Contains("3 levels"));
  CHECK_THROWS_WITH(make("2x4", "blocks:12"), Catch::Contains("blocks 0 to 11"));
  CHECK_THROWS_WITH(make("2x4", "head"), Catch::Contains("\"head\" is unknown"));
}

TEST_CASE("sizes beyond all reason are refused before there is memory for them", "[model]") {
  std::string levels = "65536";
  for (int i = 0; i < 300; ++i) levels += "x1";
  CHECK_THROWS_WITH(make(levels), Catch::Contains("too many levels for 65536 paths"));
  CHECK_THROWS_WITH(make("2x4", "", 1'000'000'000'000'000), Catch::Contains("blocks=1000000000000000"));
  CHECK_THROWS_WITH(make(std::string(5000, 'a')), Catch::Contains("nor a file"));  // a name longer than names may be
}

TEST_CASE("with regions, a module that several share has a part for each, and its own number is the whole's",
          "[model]") {
  const Topology topology =
      make_topology({.levels = "shared:5", .path_specific = "blocks:0", .regions = 2}, {.blocks = 2}, ".");
  CHECK(topology.paths() == 5);
  CHECK(topology.region_of(PathId{2}) == 0);  // blocks of 3 and 2
  CHECK(topology.region_of(PathId{3}) == 1);
  const ModuleId whole{0, 0};
  CHECK(topology.is_global(whole));
  CHECK(topology.paths_through(whole).empty());
  CHECK_FALSE(topology.path_specific(whole));
  CHECK(topology.regional_parts(whole) == std::vector<ModuleId>{{0, 1}, {0, 2}});
  CHECK(topology.module(PathId{2}, 0) == ModuleId{0, 1});
  CHECK(topology.module(PathId{3}, 0) == ModuleId{0, 2});
  CHECK(topology.whole({0, 2}) == whole);
  CHECK(topology.region_of(ModuleId{0, 2}) == 1);
  CHECK(topology.path_specific({1, 4}));
  CHECK_FALSE(topology.is_regional({1, 4}));
}

TEST_CASE("a module that one region has for itself is not split, and one path of a region has a part to itself",
          "[model]") {
  const Topology topology = make_topology({.levels = "2x2", .regions = 2}, {.blocks = 2}, ".");
  CHECK_FALSE(topology.is_global({0, 0}));
  CHECK(topology.module(PathId{1}, 0) == ModuleId{0, 0});
  CHECK(topology.regional_parts({1, 1}).size() == 2);
  const ModuleId part = topology.module(PathId{3}, 1);
  CHECK(topology.whole(part) == ModuleId{1, 1});
  CHECK(topology.paths_through(part) == std::vector<PathId>{PathId{3}});
  CHECK_FALSE(topology.path_specific(part));
}

TEST_CASE("regions that share nothing, or are more than the paths, are refused", "[model]") {
  CHECK_THROWS_WITH(make_topology({.levels = "flat:4", .regions = 2}, {.blocks = 2}, "."),
                    Catch::Contains("no paths of several regions share a module"));
  CHECK_THROWS_WITH(make_topology({.levels = "shared:4", .regions = 5}, {.blocks = 2}, "."),
                    Catch::Contains("regions=5 is more than the 4 paths"));
}

}  // namespace dipaco
