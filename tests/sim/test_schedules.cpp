// Both schedules, in shipped scenarios.

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// What a run that learns nothing leaves of tasks, links and workers.
std::map<std::string, std::string> left_by(const std::string& scenario, const std::string& schedule) {
  const TemporaryFolder folder;
  const Outcome ran = run_built(
      "dipaco-sim", {DIPACO_SOURCE_DIR "/scenarios/" + scenario + ".xml", "--learn", "off", "--progress", "off",
                     "--set", "outer.steps=5", "--set", "run.schedule=" + schedule, "--out", folder.path() / "out"});
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  std::map<std::string, std::string> files;
  for (const char* const file : {"tasks.csv", "links.csv", "workers.csv", "outer_steps.csv"}) {
    files.emplace(file, read_text(folder.path() / "out" / file));
  }
  return files;
}

}  // namespace

TEST_CASE("on equal machines both schedules send the same messages at the same times, to the byte", "[sim][long]") {
  const std::string scenario = GENERATE("paper_16x16", "diloco_2dc");
  CAPTURE(scenario);
  const auto earliest = left_by(scenario, "earliest_finish");
  const auto first = left_by(scenario, "first_free");
  for (const auto& [file, text] : earliest) {
    CAPTURE(file);
    CHECK((first.at(file) == text));
  }
  CHECK((left_by("wan_4dc", "earliest_finish") != left_by("wan_4dc", "first_free")));
}

}  // namespace dipaco::testing
