#include <catch2/catch.hpp>
#include <string_view>

#include "backends/sim/fleet/table_file.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {

TEST_CASE("a table's columns are found by their names, in whatever order they are", "[sim]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "t.csv";
  write_file(file, std::string_view("a,b,c\n1,two,3.5\n, x ,\n"));
  const auto rows = read_table(file, {"c", "b"});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].number(0) == 3.5);
  CHECK(rows[0].text(1) == "two");
  CHECK(rows[1].text(0).empty());
  CHECK(rows[1].text(1) == "x");
  CHECK_THROWS_WITH(rows[1].number(0),
                    file.string() + ":3: \"\" is no number of 0 or more; put the table back that was installed");
}

TEST_CASE("a damaged table is refused with its line", "[sim]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "t.csv";
  write_file(file, std::string_view("a,b\n1,2\n1\n"));
  CHECK_THROWS_AS(read_table(file, {"a"}), DataError);
  CHECK_THROWS_WITH(read_table(file, {"a"}),
                    file.string() + ":3: 1 cells, and the header has 2; put the table back that was installed");
  CHECK_THROWS_WITH(read_table(file, {"d"}),
                    file.string() + ":1: there is no column d; put the table back that was installed");
  write_file(file, std::string_view("a,b\n1,-2\n"));
  const auto rows = read_table(file, {"b"});
  CHECK_THROWS_WITH(rows[0].number(0), Catch::Matchers::Contains("t.csv:2: \"-2\" is no number"));
  CHECK_THROWS_AS(read_table(folder.path() / "none.csv", {"a"}), DataError);
}

}  // namespace dipaco::testing
