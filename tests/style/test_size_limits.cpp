#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/style/size_limits.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::style {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
using Catch::Matchers::Contains;

/// CONTRIBUTING.md, "Sizes".
const std::map<std::string, int> kLimits{{"functions", 20}, {"members", 12}, {"lines", 40}, {"room", 3000}};

Lines offences_of(const std::vector<Size>& sizes, const std::string& exceptions) {
  return offences(sizes, kLimits, read_exceptions(exceptions));
}

}  // namespace

TEST_CASE("the product keeps the sizes of CONTRIBUTING.md, but for the exceptions that are listed", "[style]") {
  std::ifstream file(fs::path(DIPACO_SOURCE_DIR) / "tests/style/size_exceptions.txt");
  REQUIRE(file.good());
  const std::string exceptions{std::istreambuf_iterator<char>(file), {}};
  const auto sizes = product_sizes(DIPACO_SOURCE_DIR);
  CHECK(std::ranges::count(sizes, "functions", &Size::what) > 100);  // the product has been found
  CHECK(std::ranges::count(sizes, "room", &Size::what) > 10);
  CHECK(offences_of(sizes, exceptions) == Lines{});
}

TEST_CASE("what is at its limit is no offence, one more is", "[style]") {
  CHECK(offences_of({{"functions", "A", 20, "a.hpp:1"},
                     {"members", "A", 12, "a.hpp:1"},
                     {"lines", "A::f", 40, "a.cpp:3"},
                     {"room", "core/a", 3000, "core/a"}},
                    "") == Lines{});
  CHECK(offences_of({{"functions", "A", 21, "a.hpp:1"},
                     {"members", "A", 13, "a.hpp:1"},
                     {"lines", "A::f", 41, "a.cpp:3"},
                     {"room", "core/a", 3001, "core/a"}},
                    "") == Lines{"a.hpp:1: functions of A: 21, at most 20", "a.cpp:3: lines of A::f: 41, at most 40",
                                 "a.hpp:1: members of A: 13, at most 12",
                                 "core/a: lines of core/a: 3001, at most 3000"});
}

TEST_CASE("an exception allows what it names, and neither more nor less", "[style]") {
  const std::vector<Size> sizes{{"functions", "A", 25, "a.hpp:1"}};
  CHECK(offences_of(sizes, "functions A 25 to be parted") == Lines{});
  CHECK(offences_of(sizes, "functions A 24 to be parted") ==
        Lines{"a.hpp:1: functions of A: 25, more than the exception \"functions A 24\" allows"});
  CHECK(offences_of(sizes, "functions A 26 to be parted") ==
        Lines{"a.hpp:1: functions of A: 25, fewer than the exception \"functions A 26\" allows: lower it"});
  CHECK(offences_of(sizes, "members A 25 to be parted") ==
        Lines{"a.hpp:1: functions of A: 25, at most 20", "the exception \"members A 25\" is not needed: remove it"});
}

TEST_CASE("an exception for what is gone, or within its limit, fails", "[style]") {
  CHECK(offences_of({{"functions", "A", 20, "a.hpp:1"}}, "functions A 20 to be parted") ==
        Lines{"the exception \"functions A 20\" is not needed: remove it"});
  CHECK(offences_of({}, "room core/a 4000 to be parted") ==
        Lines{"the exception \"room core/a 4000\" is not needed: remove it"});
}

TEST_CASE("two that are too large under one name need an exception each", "[style]") {
  const std::vector<Size> sizes{
      {"lines", "read", 50, "a.cpp:1"}, {"lines", "read", 60, "b.cpp:1"}, {"lines", "read", 9, "c.cpp:1"}};
  CHECK(offences_of(sizes, "lines read 60 a table") == Lines{"a.cpp:1: lines of read: 50, at most 40"});
  CHECK(offences_of(sizes, "lines read 50 a table\nlines read 60 a table") == Lines{});
}

TEST_CASE("an exception is a kind, a name, a size and a reason - other lines but comments are refused", "[style]") {
  const auto read = read_exceptions("# what for\n\nfunctions  Coordinator 91 to be parted, by duty\n");
  REQUIRE(read.size() == 1);
  CHECK(read[0].what == "functions");
  CHECK(read[0].name == "Coordinator");
  CHECK(read[0].value == 91);
  CHECK(read[0].why == "to be parted, by duty");
  for (const char* const wrong : {"functions A 25", "functions A 25 ", "functions A many why", "functions A -1 why",
                                  "functions A", "methods A 25 why", "A 25 why"}) {
    INFO(wrong);
    CHECK_THROWS_WITH(read_exceptions("# one\n" + std::string(wrong)), Contains("line 2: "));
  }
}

TEST_CASE("a folder is as long as the sources in it, without those of its folders", "[style]") {
  const TemporaryFolder tree;
  const auto write = [&](const fs::path& file, const std::string& text) {
    fs::create_directories((tree.path() / file).parent_path());
    std::ofstream(tree.path() / file) << text;
  };
  write("core/a/one.hpp", "class A {\n  void f();\n};\n");
  write("core/a/two.cpp", "\n\n");
  write("core/a/CMakeLists.txt", "\n\n\n\n");
  write("core/a/deep/three.cpp", "void g() {\n}\n");
  write("programs/p/main.cpp", "\n");
  write("tests/a/test_a.cpp", "\n\n\n");
  const auto sizes = product_sizes(tree.path());
  const auto has = [&](const Size& size) { return std::ranges::count(sizes, size) == 1; };
  CHECK(has({"room", "core/a", 5, "core/a"}));
  CHECK(has({"room", "core/a/deep", 2, "core/a/deep"}));
  CHECK(has({"room", "programs/p", 1, "programs/p"}));
  CHECK(has({"functions", "A", 1, "core/a/one.hpp:1"}));
  CHECK(has({"members", "A", 0, "core/a/one.hpp:1"}));
  CHECK(has({"lines", "g", 1, "core/a/deep/three.cpp:1"}));
  CHECK(sizes.size() == 6);
}

}  // namespace dipaco::style
