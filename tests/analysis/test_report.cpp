#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/report.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using analysis::Format;

namespace {

/// The made-up run's files, in a folder of the test.
void write_run(const std::filesystem::path& folder, const testing::MadeUpRun& run = testing::made_up_run()) {
  write_outputs(run.facts, run.events, {.folder = folder});
}

std::string report_of(const std::filesystem::path& folder, Format format) {
  const std::vector<analysis::Run> runs{analysis::read_run(folder)};
  return analysis::report(runs, format);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Replaces the only `from` of a file.
void damage(const std::filesystem::path& file, const std::string& from, const std::string& to) {
  std::string text = read_text(file);
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  write_file(file, std::string_view(text.replace(at, from.size(), to)));
}

struct Ended {
  int status = -1;
  std::string output;  ///< stdout and stderr
};

Ended run_program(const std::string& arguments) {
  const std::string command = std::string(DIPACO_BINARY_DIR) + "/bin/dipaco-report " + arguments + " 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  Ended ended;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) ended.output += static_cast<char>(c);
  ended.status = WEXITSTATUS(::pclose(pipe));
  return ended;
}

}  // namespace

TEST_CASE("the report of one run has the shares worked by hand", "[analysis]") {
  const TemporaryFolder folder;
  write_run(folder.path());
  const auto json = nlohmann::json::parse(report_of(folder.path(), Format::json));
  REQUIRE(json["runs"].size() == 1);
  const auto& run = json["runs"][0];
  REQUIRE(run["worker_time"].size() == 3);
  const auto& west = run["worker_time"][1];
  CHECK(west["site"] == "west");
  CHECK(west["compute_share"].get<double>() == Approx(16.0 / 49));
  CHECK(west["lost_share"].get<double>() == Approx(8.0 / 49));
  CHECK(run["worker_time"][2]["transfer_share"].get<double>() == Approx(42.0 / 129));
  // gather took 2, 2, 2 and 3 s in the attempts that were committed
  CHECK(run["task_stages"][1]["mean_s"].get<double>() == Approx(2.25));
  CHECK(run["task_stages"][1]["median_s"].get<double>() == 2);
  CHECK(run["task_stages"][1]["p95_s"].get<double>() == 3);
  CHECK(run["message_kinds"][0]["kind"] == "put_path_state");
  CHECK(run["message_kinds"][0]["share"].get<double>() == Approx(0.6));
  CHECK(run["message_kinds"][0]["bytes"] == 15000);
  CHECK(run["links"][0]["link"] == "wan");
  CHECK(run["loss"][1]["loss"].get<double>() == Approx(2.95));
  CHECK_FALSE(json.contains("side_by_side"));
}

TEST_CASE("the text form fits 80 columns, also with long names and many runs", "[analysis]") {
  const TemporaryFolder folder;
  auto run = testing::made_up_run();
  run.facts.name = std::string(100, 'n');
  run.facts.sites[0] = std::string(50, 's');
  run.facts.links[0].name = std::string(90, 'l');
  run.facts.more["parameters_hash"] = std::string(64, 'f');
  const std::string long_name = "a_rather_long_name_";
  std::vector<analysis::Run> runs;
  for (int i = 0; i < 9; ++i) {
    const auto place = folder.path() / (long_name + std::to_string(i));
    write_run(place, run);
    runs.push_back(analysis::read_run(place));
  }
  for (const std::size_t count : {1, 2, 9}) {
    std::istringstream text(analysis::report(std::span(runs).first(count), Format::text));
    for (std::string line; std::getline(text, line);) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
  }
  const std::string nine = analysis::report(runs, Format::text);
  for (int i = 0; i < 9; ++i) CHECK(has(nine, long_name + std::to_string(i)));
}

TEST_CASE("a run with prices is reported with what its sites and machines cost", "[analysis]") {
  auto run = testing::made_up_run();
  CostFacts& costs = run.facts.costs;
  for (const NodeFacts& node : run.facts.nodes) {
    costs.machines.push_back(
        {.name = node.host, .site = node.site, .there = {{Seconds(0), Seconds(80)}}, .price = UsdPerHour{36}});
  }
  costs.machines[3].price = UsdPerHour{72};
  costs.egress = {{{SiteId{0}, SiteId{1}}, {.usd = 0.5, .unit = Bytes{1000}}}};
  const TemporaryFolder folder;
  write_run(folder.path(), run);
  const auto json = nlohmann::json::parse(report_of(folder.path(), Format::json))["runs"][0];
  CHECK(json["summary"]["usd"].get<double>() == Approx(5.8));
  REQUIRE(json["site_costs"].size() == 3);
  CHECK(json["site_costs"][0]["site"] == "east");
  CHECK(json["site_costs"][0]["machines"] == 4);
  CHECK(json["site_costs"][0]["machine_usd"].get<double>() == Approx(3 * 0.8 + 1.6));
  CHECK(json["site_costs"][0]["egress_usd"].get<double>() == 1);
  CHECK(json["site_costs"][0]["usd"].get<double>() == Approx(5));
  CHECK(json["site_costs"][1]["egress_usd"].is_null());  // nothing that it sends has a price
  CHECK(json["site_costs"][2]["site"] == "all");
  CHECK(json["site_costs"][2]["usd"].get<double>() == Approx(5.8));
  CHECK_FALSE(json["site_costs"][0].contains("kwh"));
  CHECK(json["machine_costs"][0]["machine"] == "e3");
  CHECK(json["machine_costs"][0]["machine_usd"].get<double>() == Approx(1.6));
  const std::string text = report_of(folder.path(), Format::text);
  CHECK(has(text, "cost, USD"));
  CHECK(has(text, "What the sites cost"));
  std::filesystem::remove(folder.path() / "machines.csv");
  CHECK_THROWS_WITH(report_of(folder.path(), Format::text), Catch::Matchers::Contains("machines.csv"));

  write_run(folder.path());
  const std::string plain = report_of(folder.path(), Format::text);
  CHECK_FALSE(has(plain, "USD"));
  CHECK_FALSE(has(plain, "kWh"));
}

TEST_CASE("several runs stand side by side, the missing as a dash", "[analysis]") {
  const TemporaryFolder folder;
  auto other = testing::made_up_run();
  other.facts.more.erase("dense_validation_perplexity");
  other.facts.more["validation_perplexity"] = 41.5;
  write_run(folder.path() / "a");
  write_run(folder.path() / "b", other);
  std::vector<analysis::Run> runs(2);
  runs[0] = analysis::read_run(folder.path() / "a");
  runs[1] = analysis::read_run(folder.path() / "b");
  const std::string text = analysis::report(runs, Format::markdown);
  CHECK(has(text, "|  | a | b |"));
  CHECK(has(text, "| perplexity | 43.250 | 41.500 |"));
  CHECK(has(text, "| perplexity, dense start | 60.500 | - |"));
  const auto json = nlohmann::json::parse(analysis::report(runs, Format::json));
  CHECK(json["runs"].size() == 2);
  CHECK(json["side_by_side"].contains("summary"));
}

TEST_CASE("a run that learned nothing and knows no links is reported without them", "[analysis]") {
  const TemporaryFolder folder;
  auto run = testing::made_up_run();
  for (Event& event : run.events) event.value = 0;
  run.facts.links.clear();
  run.facts.more.clear();
  write_run(folder.path(), run);
  const std::string text = report_of(folder.path(), Format::text);
  CHECK_FALSE(has(text, "loss by outer step"));
  CHECK_FALSE(has(text, "Busiest links"));
  CHECK(has(text, "Where the workers' time went"));
}

TEST_CASE("columns may stand in another order, and others beside them", "[analysis]") {
  const TemporaryFolder folder;
  write_run(folder.path());
  write_file(folder.path() / "workers.csv",
             std::string_view("extra,wait_s,transfer_s,evaluate_s,lost_s,compute_s,up_s,site,worker\n"
                              "x,1,2,3,4,5,15,\"north, far\",7\n"));
  const auto run = analysis::read_run(folder.path());
  REQUIRE(run.workers.size() == 1);
  CHECK(run.workers[0].site == "north, far");
  CHECK(run.workers[0].compute == 5);
  CHECK(run.workers[0].worker == 7);
}

TEST_CASE("the critical path is told by the ways that its messages took - an older run's file has none", "[analysis]") {
  const TemporaryFolder folder;
  write_run(folder.path());
  const auto tables = [&] { return nlohmann::json::parse(report_of(folder.path(), Format::json))["runs"][0]; };
  write_file(
      folder.path() / "critical_path.csv",
      "begin_s,end_s,stage,node,site,path,outer_step,from_site,to_site\n0,4,fetch,3,a,0,0,b,a\n4,5,fetch,3,a,0,0,a,a\n"
      "5,9,compute,3,a,0,0,,\n9,12,fetch,3,a,1,1,b,a\n");
  const auto with = tables()["critical_path"];
  REQUIRE(with.size() == 3);
  CHECK(with[0]["way"] == "b to a");
  CHECK(with[0]["seconds"] == 7);
  CHECK(with[1]["stage"] == "compute");
  CHECK(with[1]["way"] == "");
  CHECK(with[2]["way"] == "");
  CHECK(with[2]["seconds"] == 1);
  write_file(folder.path() / "critical_path.csv", "begin_s,end_s,stage,node,site,path,outer_step\n0,4,fetch,3,a,0,0\n");
  const auto without = tables()["critical_path"];
  REQUIRE(without.size() == 1);
  CHECK(without[0]["way"] == "");
}

TEST_CASE("whom module steps waited for is told by site, and by what the last task lost most in", "[analysis]") {
  const TemporaryFolder folder;
  write_run(folder.path());
  write_file(folder.path() / "module_steps.csv",
             "site,host,behind_s,stage,from_site,to_site\na,a0,4,fetch,b,a\na,a1,5,compute,,\nb,b0,2,compute,,\n");
  const auto tables = nlohmann::json::parse(report_of(folder.path(), Format::json))["runs"][0];
  const auto& sites = tables["last_sites"];
  CHECK(sites[0]["site"] == "a");
  CHECK(sites[0]["module_steps"] == 2);
  CHECK(sites[0]["behind_s"] == 9);
  CHECK(sites[0]["stage"] == "compute");
  const auto& causes = tables["last_causes"];
  CHECK(causes[0]["behind_s"] == 7);  // both that lost most in computing
  CHECK(causes[1]["way"] == "b to a");
}

TEST_CASE("a damaged file is named with line and column", "[analysis]") {
  struct Damage {
    const char* file;
    const char* from;
    const char* to;
    std::vector<std::string> told;
  };
  const std::vector<Damage> damages{
      {"workers.csv", "4,west,w0,1e+12,49,49,", "4,west,w0,1e+12,49,,", {"workers.csv:3", "up_s", "an empty cell"}},
      {"workers.csv", "4,west,w0,1e+12,49,49,", "4,west,w0,1e+12,49,soon,", {"workers.csv:3", "up_s", "\"soon\""}},
      {"workers.csv", ",compute_s", ",computed", {"workers.csv:1", "no column compute_s"}},
      {"outer_steps.csv", "0,0,40,40,", "0,0,40,4O,", {"outer_steps.csv:2", "duration_s", "\"4O\""}},
      {"outer_steps.csv",
       "0,0,40,40,2,1,",
       "0,0,40,40,2,1.5,",
       {"outer_steps.csv:2", "tasks_requeued", "whole number"}},
      {"tasks.csv", ",handed_back,8,8,3", "", {"tasks.csv:6", "fewer cells"}},
      {"tasks.csv", ",handed_back,8,8,3", ",handed_back,8,8,3,9", {"tasks.csv:6", "more cells"}},
      {"links.csv", "link,wan,,,5000", "link,wan,,,", {"links.csv:5", "bytes", "an empty cell"}},
      {"links.csv", "\"lan, east\"", "\"lan, east", {"links.csv:6"}},
      {"summary.json", "\"wall_s\": 0.25", "\"wall_s\": ", {"summary.json:", "broken JSON"}},
  };
  for (const Damage& one : damages) {
    const TemporaryFolder folder;
    write_run(folder.path());
    damage(folder.path() / one.file, one.from, one.to);
    INFO(one.file << ": " << one.to);
    try {
      analysis::read_run(folder.path());
      FAIL_CHECK("was read");
    } catch (const DataError& error) {
      for (const std::string& part : one.told) CHECK_THAT(error.what(), Catch::Contains(part));
    }
  }
}

TEST_CASE("each missing or empty file is named", "[analysis]") {
  for (const char* file : {"summary.json", "workers.csv", "outer_steps.csv", "links.csv", "tasks.csv"}) {
    const TemporaryFolder folder;
    write_run(folder.path());
    write_file(folder.path() / file, std::string_view(""));
    CHECK_THROWS_WITH(analysis::read_run(folder.path()), Catch::Contains(std::string(file) + ":1"));
    std::filesystem::remove(folder.path() / file);
    CHECK_THROWS_WITH(analysis::read_run(folder.path()), Catch::Contains((folder.path() / file).string()));
  }
}

TEST_CASE("a summary with text for a number is an error that names the key", "[analysis]") {
  const TemporaryFolder folder;
  write_run(folder.path());
  damage(folder.path() / "summary.json", "\"goodput\": 0.", "\"goodput\": \"high\", \"x\": 0.");
  CHECK_THROWS_WITH(report_of(folder.path(), Format::text), Catch::Contains("goodput is \"high\", not a number"));
}

TEST_CASE("dipaco-report ends with the status of what went wrong", "[analysis]") {
  const TemporaryFolder folder;
  write_run(folder.path());
  const Ended good = run_program(folder.path().string());
  CHECK(good.status == 0);
  CHECK(has(good.output, "Where the workers' time went"));
  const Ended none = run_program("");
  CHECK(none.status == 2);
  CHECK(has(none.output, "usage: dipaco-report DIR..."));
  const Ended unknown = run_program("--fromat text " + folder.path().string());
  CHECK(unknown.status == 2);
  CHECK(has(unknown.output, "--format"));
  const Ended missing = run_program((folder.path() / "none").string());
  CHECK(missing.status == 3);
  CHECK(has(missing.output, "summary.json"));
  damage(folder.path() / "workers.csv", "4,west,w0,1e+12,49,49,", "4,west,w0,1e+12,49,,");
  CHECK(run_program(folder.path().string()).status == 3);
}
