// Routers and features that do not belong to a run: the programs end with status 3 and say why.

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

#include "core/base/file.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/routing/random_router.hpp"
#include "tests/programs/finished_run.hpp"
#include "tests/routing/router_files.hpp"

namespace dipaco::testing {
namespace {

using Catch::Contains;

void check_data_error(const Outcome& outcome, const std::string& why) {
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.error, Contains(why));
  CHECK(outcome.output.empty());
}

/// The run's start with a parameter of its last block that is not a number, which all features have a part of.
void write_poisoned_start(const FinishedTestRun& run, const std::filesystem::path& file) {
  for (const auto& entry : std::filesystem::directory_iterator(run.file("cache") / "prepared")) {
    const auto start = entry.path() / "start.ckpt";
    if (!std::filesystem::exists(start)) continue;
    Checkpoint checkpoint = decode_checkpoint(read_file(start), "start");
    for (auto& [name, values] : checkpoint.arrays) {
      if (Contains("parameters/model.layers.1").match(name)) values.front() = std::numeric_limits<float>::quiet_NaN();
    }
    write_file(file, encode(checkpoint));
    return;
  }
  FAIL("the run has a start");
}

}  // namespace

TEST_CASE("dipaco evaluate and inspect refuse a router of another topology or width", "[programs]") {
  const FinishedTestRun other({"model.hidden=24"});
  const FinishedTestRun run;
  const std::vector<std::vector<std::string>> commands{{"evaluate"}, {"inspect", "shards", "--nearest=1"}};
  for (const auto& command : commands) {
    write_file(run.model("router"), RandomRouter(5, 1).encode());
    check_data_error(run.dipaco(command), "router: a router to 5 paths, and this topology has 4");
    write_file(run.model("router"), read_file(other.model("router")));
    check_data_error(run.dipaco(command), "router: a router by features of width 24, and this model's have width 16");
  }
}

TEST_CASE("features that are not numbers end dipaco prepare and dipaco-run with status 3", "[programs]") {
  const FinishedTestRun run;
  write_poisoned_start(run, run.file("start"));
  const std::vector<std::string> more{"--run=" + run.file("a.cfg").string(), "--progress=off", "--threads=1",
                                      "--set=pretrain.from=" + run.file("start").string()};
  std::vector<std::string> prepare{"prepare"};
  prepare.insert(prepare.end(), more.begin(), more.end());
  check_data_error(run_built("dipaco", prepare), "router: feature 0 of document ");
  std::vector<std::string> learn{"--backend=loopback", "--out=" + run.file("again").string()};
  learn.insert(learn.end(), more.begin(), more.end());
  check_data_error(run_built("dipaco-run", learn), "router: feature 0 of document ");
}

}  // namespace dipaco::testing
