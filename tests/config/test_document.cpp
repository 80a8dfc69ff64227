#include <catch2/catch.hpp>
#include <string>

#include "core/base/file.hpp"
#include "core/config/keys.hpp"

using namespace dipaco;

namespace {

/// The tables that docs/run-file.md must have: one a section, one row a key.
std::string tables() {
  std::string text;
  std::string_view section;
  for (const RunKey& key : run_keys()) {
    if (key.section != section) {
      text += (text.empty() ? "### [" : "\n### [") + std::string(key.section) +
              "]\n\n| key | value | default | parameters | meaning |\n|---|---|---|---|---|\n";
    }
    section = key.section;
    const std::string initial = value_text(key, RunConfig{});
    text += "| `" + std::string(key.name) + "` | " + allowed_text(key) + " | " +
            (initial.empty() ? "" : "`" + initial + "`") + " | " + (key.changes == Changes::parameters ? "yes" : "no") +
            " | " + std::string(key.help) + " |\n";
  }
  return text;
}

}  // namespace

TEST_CASE("docs/run-file.md has the tables of the keys that the code has", "[config]") {
  const std::string document = read_text(DIPACO_SOURCE_DIR "/docs/run-file.md");
  const auto begin = document.find("### [");
  const auto end = document.find("\n## ", begin);
  REQUIRE(end != std::string::npos);
  CHECK(document.substr(begin, end - begin) == tables());
}
