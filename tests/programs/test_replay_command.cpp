#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "tests/programs/finished_run.hpp"

namespace dipaco::testing {
namespace {

using Catch::Contains;

/// Paths with tasks of six inner steps or fewer, and modules of their own.
const std::vector<std::string> kBySpeed{"outer.policy=asynchronous", "evaluate.every=0", "inner.steps=6",
                                        "inner.dylu=on", "topology.path_specific=blocks:0"};

}  // namespace

TEST_CASE("dipaco replay computes a run without rounds again to the bit, and says where it cannot", "[programs]") {
  const FinishedTestRun run(kBySpeed);
  const Outcome same = run.dipaco({"replay"});
  CHECK(same.status == 0);
  CHECK_THAT(same.output, Contains(", as the run's\n"));
  const auto told = nlohmann::json::parse(run.dipaco({"replay"}, {"--format=json"}).output);
  CHECK(told["same"] == true);
  CHECK(told["parameters_hash"] == told["parameters_hash_of_the_run"]);
  CHECK(told["tasks"].get<int>() >= 4 * 4);

  const auto summary = run.file("run/summary.json");
  auto changed = nlohmann::json::parse(read_text(summary));
  changed["parameters_hash"] = "another";
  write_file(summary, changed.dump());
  const Outcome other = run.dipaco({"replay"});
  CHECK(other.status == 3);
  CHECK_THAT(other.output, Contains(", and the run's are another\n"));

  write_file(run.model("order"), "no order");
  const Outcome damaged = run.dipaco({"replay"});
  CHECK(damaged.status == 3);
  CHECK_THAT(damaged.error, Contains("model/order"));
  std::filesystem::remove(run.model("order"));
  const Outcome lacking = run.dipaco({"replay"});
  CHECK(lacking.status == 2);
  CHECK_THAT(lacking.error, Contains("model/order is not there") && Contains("--backend loopback"));
}

TEST_CASE("a run whose tasks differ in length is evaluated and inspected, its paths' own modules too", "[programs]") {
  const FinishedTestRun run(kBySpeed);
  CHECK(evaluated(run)["perplexity"].get<double>() > 1);
  CHECK(run.dipaco({"inspect", "modules"}).status == 0);
}

TEST_CASE("a run of two regions leaves whole modules, is evaluated and inspected, and computed again", "[programs]") {
  const FinishedTestRun run({"outer.policy=hierarchical", "topology.regions=2", "outer.merge_every=2",
                             "evaluate.every=0", "topology.path_specific=blocks:0"});
  const Outcome same = run.dipaco({"replay"});
  CHECK(same.status == 0);
  CHECK_THAT(same.output, Contains(", as the run's\n"));
  CHECK(std::filesystem::exists(run.model("module-0.1")));
  CHECK_FALSE(std::filesystem::exists(run.model("module-0.2")));  // a region's
  CHECK(evaluated(run)["perplexity"].get<double>() > 1);
  CHECK(run.dipaco({"inspect", "modules"}).status == 0);
}

}  // namespace dipaco::testing
