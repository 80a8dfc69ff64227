#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using dipaco::testing::Outcome;
using dipaco::testing::Output;
using dipaco::testing::run_built;

namespace {

const std::string kTiny = DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg";

void check_failure(const Outcome& outcome, int status, const std::string& error) {
  CHECK(outcome.status == status);
  CHECK(outcome.error == error);
  CHECK(outcome.output.empty());
}

}  // namespace

TEST_CASE("dipaco's help fits a screen of 80 columns and 24 lines", "[programs]") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"init", "--help"},
                                                    {"prepare", "--help"},
                                                    {"evaluate", "--help"},
                                                    {"inspect", "--help"},
                                                    {"replay", "--help"}}) {
    const Outcome outcome = run_built("dipaco", arguments);
    CHECK(outcome.status == 0);
    CHECK(std::count(outcome.output.begin(), outcome.output.end(), '\n') <= 24);
    std::istringstream lines(outcome.output);
    for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
    CHECK_THAT(outcome.output, Catch::Contains("\nExample: dipaco "));
  }
}

TEST_CASE("dipaco's version names the libraries that it uses", "[programs]") {
  const Outcome outcome = run_built("dipaco", {"--version"});
  CHECK(outcome.status == 0);
  for (const char* library : {"Boost", "SentencePiece", "zlib", "LibTorch"}) {
    CHECK_THAT(outcome.output, Catch::Contains(std::string("\n  ") + library + " "));
  }
}

TEST_CASE("wrong commands and options end with status 2 and one line", "[programs]") {
  check_failure(run_built("dipaco", {}), 2, "dipaco: no command; write one, such as dipaco prepare --run FILE.cfg\n");
  check_failure(run_built("dipaco", {"generate", "--run", kTiny}), 2,
                "dipaco: unknown command \"generate\"; --help lists the commands\n");
  check_failure(run_built("dipaco", {"perpare"}), 2,
                "dipaco: unknown command \"perpare\"; did you mean \"prepare\"?\n");
  check_failure(run_built("dipaco", {"prepare", "--ruin", kTiny}), 2,
                "dipaco prepare: unknown option --ruin; did you mean \"--run\"?\n");
  check_failure(run_built("dipaco", {"prepare"}), 2,
                "dipaco prepare: no run file; name one with --run FILE.cfg, such as scenarios/runs/tiny.cfg\n");
}

TEST_CASE("an error in a run file ends with status 2 and its file and line", "[programs]") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.cfg";
  write_file(file, "[inner]\nbacth=4\n");
  check_failure(run_built("dipaco", {"prepare", "--run", file.string()}), 2,
                "dipaco prepare: " + file.string() + ":2: unknown key \"bacth\" in [inner]; did you mean \"batch\"?\n");
}

TEST_CASE("option --dump-config prints a run file that dumps to itself", "[programs]") {
  const TemporaryFolder folder;
  const Outcome first = run_built("dipaco", {"prepare", "--run", kTiny, "--seed=5", "--dump-config"});
  REQUIRE(first.status == 0);
  CHECK_THAT(first.output, Catch::Contains("\nseed=5\n"));
  write_file(folder.path() / "b.cfg", first.output);
  const Outcome second = run_built("dipaco", {"prepare", "--run", (folder.path() / "b.cfg").string(), "--dump-config"});
  CHECK(second.output == first.output);
}

TEST_CASE("a reader that goes away is no error, a full disk is", "[programs]") {
  const std::vector<std::string> dump{"prepare", "--run", kTiny, "--dump-config"};
  const Outcome closed = run_built("dipaco", dump, Output::nobody_reads);
  CHECK(closed.status == 0);
  CHECK(closed.error.empty());
  const Outcome full = run_built("dipaco", dump, Output::full_disk);
  CHECK(full.status == 3);
  CHECK_THAT(full.error, Catch::StartsWith("dipaco prepare: standard output: cannot be written"));
}
