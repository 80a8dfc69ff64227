#include <catch2/catch.hpp>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/report.hpp"
#include "analysis/run_files.hpp"
#include "core/base/file.hpp"
#include "core/report/report.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using analysis::Format;

namespace {

void leave_run(const std::filesystem::path& folder, const testing::MadeUpRun& run = testing::made_up_run()) {
  write_outputs(run.facts, run.events, {.folder = folder});
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the text form cuts nothing: what is too long for its column goes on below", "[analysis]") {
  const TemporaryFolder folder;
  auto run = testing::made_up_run();
  const std::string model = "CM02, latency x 1, bandwidth x 1, crosstraffic off, TCP-gamma 67108864, and more besides";
  run.facts.more["network_model"] = model;
  run.facts.more["parameters_hash"] = std::string("974b5df0d456b6fa9b078ea78f6fb92d");
  leave_run(folder.path() / "a", run);
  leave_run(folder.path() / "b", run);
  for (const std::size_t count : {1, 2}) {
    std::vector<analysis::Run> runs(2, analysis::read_run(folder.path() / "a"));
    runs[1] = analysis::read_run(folder.path() / "b");
    std::istringstream text(analysis::report(std::span(runs).first(count), Format::text));
    std::string joined;
    for (std::string line; std::getline(text, line);) {
      CHECK_FALSE(contains(line, ".."));
      std::istringstream words(line);
      for (std::string word; words >> word;) joined += word;
    }
    CHECK(contains(joined, "67108864"));
  }
  // Both runs side by side, in one block of lines: the hash of 32 digits goes on below.
  std::vector<analysis::Run> runs{analysis::read_run(folder.path() / "a"), analysis::read_run(folder.path() / "b")};
  std::istringstream text(analysis::report(runs, Format::text));
  int durations = 0;
  for (std::string line; std::getline(text, line);) durations += line.starts_with("  duration") ? 1 : 0;
  CHECK(durations == 1);
}

TEST_CASE("several runs are compared by their settings, and by what was handed back", "[analysis]") {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) leave_run(folder.path() / name);
  write_file(folder.path() / "a/run.cfg", std::string_view("[inner]\nsteps=10\nbatch=4\n"));
  write_file(folder.path() / "b/run.cfg", std::string_view("[inner]\nsteps=20\nbatch=4\n"));
  const std::vector<analysis::Run> runs{analysis::read_run(folder.path() / "a"),
                                        analysis::read_run(folder.path() / "b")};
  const std::string text = analysis::report(runs, Format::markdown);
  CHECK(contains(text, "### Settings that differ"));
  CHECK(contains(text, "| inner.steps | 10 | 20 |"));
  CHECK_FALSE(contains(text, "inner.batch"));
  CHECK(contains(text, "| tasks handed back | 1 | 1 |"));
  CHECK(
      contains(analysis::report(std::span(runs).first(1), Format::markdown), "| worker time |"));  // not "inner steps"
}
