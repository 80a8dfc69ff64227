// Evaluation, early stopping and re-sharding of runs that learn nothing, through dipaco-sim.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/config/run_file.hpp"
#include "core/plan/plan.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kTextRun = DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg";
constexpr double kTextStep = 0.5;                        // s, of 4 rows of 64 tokens, forward and backward
constexpr double kTokenTime = kTextStep / 3 / (4 * 64);  // s, forward
constexpr double kTextPaths = 4;
constexpr double kTextSteps = 3;

/// Four paths on a worker beside a store. Of 10,000 documents of 200 tokens 500 validate, 95 are the router's and 9,405
/// train. @returns the summary, and as "evaluating" the seconds of all evaluations, those behind the last outer step
/// among them. @param more  changes of the run file
nlohmann::json scored_run(const std::vector<std::string>& more) {
  const TemporaryFolder folder;
  write_file(folder.path() / "s.xml",
             std::string_view("<?xml version='1.0'?>\n"
                              "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                              "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">\n"
                              "<prop id=\"workers\" value=\"a\"/><prop id=\"step_time\" value=\"500ms\"/>"
                              "<host id=\"a\" speed=\"1Tf\"/><host id=\"b\" speed=\"1Tf\">"
                              "<prop id=\"role\" value=\"store\"/></host><link id=\"l\" bandwidth=\"1Gbps\" "
                              "latency=\"1ms\"/><route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>"
                              "</zone></platform>\n"));
  std::vector<std::string> words{folder.path() / "s.xml", "--learn", "off",    "--progress", "off", "--out",
                                 folder.path() / "out",   "--run",   kTextRun, "--events",   "on"};
  for (const char* const set :
       {"data.validation_documents=0", "data.validation_fraction=0.05", "data.holdout_fraction=0.02",
        "routing.router_fraction=0.01", "data.charged_tokens=200"})
    words.insert(words.end(), {"--set", set});
  for (const std::string& set : more) words.insert(words.end(), {"--set", set});
  const Outcome ran = run_built("dipaco-sim", words);
  INFO(ran.error);
  REQUIRE(ran.status == 0);
  CHECK_THAT(ran.output, !Contains("perplexity"));
  auto summary = nlohmann::json::parse(read_text(folder.path() / "out/summary.json"));
  double evaluating = 0;
  for (const std::string& row : split(read_text(folder.path() / "out/events.csv"), '\n')) {
    const auto cells = split(row, ',');
    if (cells.size() < 2) continue;
    if (cells[1] == "evaluation_started") evaluating -= *parse_number(cells[0]);
    if (cells[1] == "evaluation_done") evaluating += *parse_number(cells[0]);
  }
  summary["evaluating"] = evaluating;
  return summary;
}

constexpr const char* kCharged = "data.charged_documents=10000";

}  // namespace

TEST_CASE("a run that learns nothing scores only where it is told how much text there is", "[sim]") {
  const auto none = scored_run({"evaluate.every=1", "evaluate.early_stopping=on", "routing.reshard_at=2"});
  CHECK(none["evaluating"] == 0);
  CHECK_FALSE(none.contains("messages_evaluate"));
  const auto result = scored_run({kCharged});
  CHECK(result["messages_evaluate"] == kTextPaths);
  CHECK(result["evaluating"].get<double>() == Approx(500 * 200 * kTokenTime));
  CHECK(result["simulated_s"] == none["simulated_s"]);  // the result is scored behind the last outer step
  const auto few = scored_run({kCharged, "data.validation_documents=50"});
  CHECK(few["evaluating"].get<double>() == Approx(50 * 200 * kTokenTime));
}

TEST_CASE("a run that cannot score what its run file asks for says which key is missing", "[sim]") {
  const auto says = [](const std::string& more) {
    const TemporaryFolder folder;
    return run_built("dipaco-sim", {DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml", "--learn", "off", "--out",
                                    folder.path(), "--set", "evaluate.early_stopping=on", "--set", more})
        .error;
  };
  CHECK_THAT(says("outer.steps=2"), Contains("note: without learning there are no documents") &&
                                        Contains("data.charged_documents says how many to charge for"));
  CHECK_THAT(says(kCharged), !Contains("without learning"));
}

TEST_CASE("evaluation and early stopping are charged for the text's validation and hold-out documents", "[sim]") {
  const auto on_the_way = scored_run({kCharged, "evaluate.every=1"});
  CHECK(on_the_way["messages_evaluate"] == kTextPaths * kTextSteps);
  CHECK(on_the_way["evaluating"].get<double>() == Approx(kTextSteps * 500 * 200 * kTokenTime));
  CHECK(on_the_way["worker_evaluate_s"] > 0);  // while training goes on
  const auto early = scored_run({kCharged, "evaluate.early_stopping=on"});
  CHECK(early["messages_evaluate"] == kTextPaths * (kTextSteps + 1));
  CHECK(early["evaluating"].get<double>() == Approx((500 + kTextSteps * 0.02 * 9405) * 200 * kTokenTime));
}

TEST_CASE("re-sharding is charged for scores of every path, a fit and the routes of all documents", "[sim]") {
  const auto before = scored_run({kCharged});
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{kCharged, "routing.reshard_at=2", "routing.prefix=32"};
    all.insert(all.end(), more.begin(), more.end());
    return scored_run(all);
  };
  const auto resharded = with({});
  CHECK(resharded["messages_evaluate"] == 2 * kTextPaths);
  CHECK(resharded["messages_route_documents"] == 3);  // 9,905 documents, 4,096 at a time
  CHECK(resharded["messages_fit_router"] == 1);
  const double router = 4.0 * 33 * kTextPaths;  // of 32 features and a bias, which goes with each part
  CHECK(resharded["bytes_route_documents"].get<double>() == Approx(3 * router).epsilon(0.1));
  // One worker does all of it while training waits: as much longer, but for messages.
  const double longer = resharded["simulated_s"].get<double>() - before["simulated_s"].get<double>();
  const double scores = kTextPaths * 95 * 200 * kTokenTime;
  const double features = (95 + 9905) * 32 * kTokenTime;
  const double speed = charged_step(read_run_file(kTextRun, {})).value / kTextStep;
  const double fit = 21 * 100 * 4 * 95 * kTextPaths * 32 / speed;  // one, and 20 to choose its penalty
  CHECK(longer == Approx(scores + features + fit).epsilon(0.02));
  const double some = with({"routing.label_tokens=50"})["simulated_s"].get<double>();
  CHECK(resharded["simulated_s"].get<double>() - some == Approx(kTextPaths * 95 * 150 * kTokenTime).epsilon(0.01));
}

}  // namespace dipaco::testing
