// docs/extending.md: each recipe names at most three files, all of which are there, and none is a role; the test that
// does it has such a case.

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

struct Recipe {
  std::string name;
  std::vector<std::string> files;  ///< that it touches
  std::vector<std::string> done;   ///< the tests that do it
};

/// What stands between backticks.
std::vector<std::string> quoted(const std::string& line) {
  std::vector<std::string> all;
  const auto parts = split(line, '`');
  for (std::size_t k = 1; k < parts.size(); k += 2) all.push_back(parts[k]);
  return all;
}

/// The sections that have a line "Files:" and a line "Done in:".
std::vector<Recipe> recipes() {
  std::vector<Recipe> all;
  std::string name;
  for (const std::string& line : split(read_text(DIPACO_SOURCE_DIR "/docs/extending.md"), '\n')) {
    if (line.starts_with("## ")) name = line.substr(3);
    if (line.starts_with("Files:")) all.push_back({.name = name, .files = quoted(line), .done = {}});
    if (line.starts_with("Done in:")) {
      REQUIRE_FALSE(all.empty());
      all.back().done = quoted(line);
    }
  }
  return all;
}

bool is_role(const std::string& file) {
  return (file.starts_with("core/roles/") && file != "core/roles/message_check.cpp") ||
         file.starts_with("core/coordinator/");
}

}  // namespace

TEST_CASE("each recipe touches at most three files beside its own, and none of them is a role", "[extending]") {
  std::vector<std::string> names;
  for (const Recipe& recipe : recipes()) {
    names.push_back(recipe.name);
    INFO(recipe.name);
    CHECK(recipe.files.size() <= 3);
    CHECK_FALSE(recipe.done.empty());
    for (const std::string& file : recipe.files) {
      INFO(file);
      CHECK(fs::is_regular_file(fs::path(DIPACO_SOURCE_DIR) / file));
      CHECK_FALSE(is_role(file));
    }
    for (const std::string& file : recipe.done) {
      INFO(file);
      CHECK_THAT(read_text(fs::path(DIPACO_SOURCE_DIR) / file), Catch::Contains("TEST_CASE("));
    }
  }
  CHECK(names == std::vector<std::string>{"A policy", "An outer optimizer", "A router", "A schedule",
                                          "A key of the run file", "A gradient format", "A kind of fault", "A message",
                                          "A network model"});
}

}  // namespace dipaco
