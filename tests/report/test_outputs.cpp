#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/report/report.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace dipaco;
using dipaco::testing::made_up_run;

namespace {

const std::vector<std::string> kFiles{"summary.json",        "outer_steps.csv", "workers.csv", "links.csv",
                                      "links_over_time.csv", "tasks.csv",       "events.csv",  "critical_path.csv",
                                      "module_steps.csv",    "trace.json"};

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines = split(read_text(file), '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// The slices of one track, as the file has them.
using Track = std::vector<nlohmann::json>;
std::map<int, Track> tracks(const nlohmann::json& trace) {
  std::map<int, Track> result;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X") result[event["tid"].get<int>()].push_back(event);
  }
  return result;
}

/// Each slice lies within the ones that are open when it begins.
bool properly_nested(const Track& track) {
  std::vector<double> ends;
  double last = 0;
  for (const auto& slice : track) {
    const double begin = slice["ts"];
    const double end = begin + slice["dur"].get<double>();
    if (begin < last || begin >= end) return false;
    last = begin;
    while (!ends.empty() && ends.back() <= begin) ends.pop_back();
    if (!ends.empty() && end > ends.back() + 1e-6) return false;
    ends.push_back(end);
  }
  return true;
}

}  // namespace

TEST_CASE("tasks.csv has a row for each attempt, with its times and what became of it", "[report]") {
  const auto run = made_up_run();
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  const auto lines = lines_of(folder.path() / "tasks.csv");
  REQUIRE(lines.size() == 1 + 6);
  CHECK(lines[1] == "0,0,1,3,east,0,0,2,12,16,committed,10,10,4");
  CHECK(lines[2] == "1,0,1,4,west,0,0,5,,20,requeued,4,0,");
  CHECK(lines[3] == "1,0,2,3,east,20,20,22,32,36,committed,10,10,4.4");
  CHECK(lines[4] == "0,1,1,3,east,40,40,42,52,56,committed,10,10,3");
  CHECK(lines[5] == "1,1,1,4,west,40,40,45,61,64,handed_back,8,8,3");
  CHECK(lines[6] == "1,1,2,3,east,64,64,67,69,73,committed,2,2,2.5");
}

TEST_CASE("workers.csv, outer_steps.csv and links.csv have the numbers worked by hand", "[report]") {
  const auto run = made_up_run();
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  const auto workers = lines_of(folder.path() / "workers.csv");
  REQUIRE(workers.size() == 3);
  // worker 4: received 2 modules, sent a path state; (16 + 8) / 49 of its seconds computing
  CHECK(workers[2] == "4,west,w0,1e+12,49,49,16,8,0,13,12," + format_number(24.0 / 49) + ",0,1,12,4,2,2000,3000");
  const auto steps = lines_of(folder.path() / "outer_steps.csv");
  REQUIRE(steps.size() == 3);
  CHECK(steps[1] == "0,0,40,40,2,1,24,4,28,4.2,5,1,3,,,,");
  const auto links = lines_of(folder.path() / "links.csv");
  REQUIRE(links.size() == 1 + 3 + 2);
  CHECK(links[1] == "sites,,east,east,20000,,,,,,,,,,,,");
  CHECK(links[2] == "sites,,east,west,2000,,,,,500,8,8,0.1,,,,");     // 8 s of one message in 80 s
  CHECK(links[4] == "link,wan,,,5000,1000,0.05,0.0625,1,,,,,,,,12");  // 5000 B / (1000 B/s x 80 s)
  CHECK(links[5] == "link,\"lan, east\",,,20000,1e+06,1e-04,0.00025,0.5,,,,,,,,0");
}

TEST_CASE("the summary has tokens and operations of the inner steps that reached a module", "[report]") {
  auto run = made_up_run();
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  CHECK_FALSE(nlohmann::json::parse(read_text(folder.path() / "summary.json")).contains("tokens"));
  run.facts.step_tokens = 512;
  run.facts.step_flops = 3e9;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  const auto summary = nlohmann::json::parse(read_text(folder.path() / "summary.json"));
  const double useful = summary["inner_steps_computed"].get<double>() - summary["inner_steps_lost"].get<double>();
  CHECK(useful == 40);
  CHECK(summary["tokens"] == 40 * 512);
  CHECK(summary["tokens_per_s"].get<double>() == Approx(40 * 512 / 80.0));
  CHECK(summary["model_flop_per_s"].get<double>() == Approx(40 * 3e9 / 80));
  CHECK(summary["computing_flop_per_s"].get<double>() == Approx(40 * 3e9 / summary["worker_compute_s"].get<double>()));
}

TEST_CASE("links_over_time.csv has the stretches in which something crossed the busiest links", "[report]") {
  auto run = made_up_run();
  run.facts.links[0].over_time = {.stretch = Seconds(2.5), .bytes = {0, 2000, 0, 500}};
  run.facts.links[1].over_time = {.stretch = Seconds(2.5), .bytes = {20'000}};
  for (int k = 0; k < 40; ++k) {
    run.facts.links.push_back({.name = "idle", .bandwidth = 1e9, .bytes = Bytes{1}});
    run.facts.links.back().over_time = {.stretch = Seconds(2.5), .bytes = {1}};
  }
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  const auto lines = lines_of(folder.path() / "links_over_time.csv");
  REQUIRE(lines.size() == 1 + 2 + 1 + 30);  // of 32 links
  CHECK(lines[1] == "wan,2.5,5,2000,0.8");  // 2000 B / (1000 B/s x 2.5 s)
  CHECK(lines[2] == "wan,7.5,10,500,0.2");
  CHECK(lines[3] == "\"lan, east\",0,2.5,20000,0.008");
  run.facts.links.clear();
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  CHECK_FALSE(std::filesystem::exists(folder.path() / "links_over_time.csv"));
}

TEST_CASE("two equal runs leave equal bytes", "[report]") {
  const auto run = made_up_run();
  const TemporaryFolder one;
  const TemporaryFolder two;
  write_outputs(run.facts, run.events, {.folder = one.path(), .events = true});
  write_outputs(run.facts, run.events, {.folder = two.path(), .events = true});
  for (const std::string& file : kFiles) {
    INFO(file);
    CHECK(read_text(one.path() / file) == read_text(two.path() / file));
  }
}

TEST_CASE("summary.json is flat JSON with sorted keys, and has what the program knows", "[report]") {
  auto run = made_up_run();
  run.facts.more["not_a_number"] = std::nan("");
  run.facts.more["quoted"] = std::string("a \"b\"\n");
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  const std::string text = read_text(folder.path() / "summary.json");
  const auto summary = nlohmann::ordered_json::parse(text);
  std::vector<std::string> keys;
  for (const auto& [key, value] : summary.items()) {
    CHECK_FALSE(value.is_structured());
    keys.push_back(key);
  }
  CHECK(std::is_sorted(keys.begin(), keys.end()));
  CHECK(summary["goodput"].get<double>() == 48.0 / 129);
  CHECK(summary["parameters_hash"] == "00ff");
  CHECK(summary["bitwise"] == "yes");
  CHECK(summary["learned"] == true);
  CHECK(summary["quoted"] == "a \"b\"\n");
  CHECK_FALSE(summary.contains("not_a_number"));
}

TEST_CASE("events.csv is written when asked for, and none of an earlier run is left", "[report]") {
  const auto run = made_up_run();
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path(), .events = true});
  const auto lines = lines_of(folder.path() / "events.csv");
  REQUIRE(lines.size() == run.events.size() + 1);
  CHECK(std::count(lines.begin(), lines.end(), "5,transfer,4,,,,,,,,,1,0,module,1000") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "39,module_stepped,1,,,1,,0,0,,3,,,,") == 1);
  CHECK(std::count(lines.begin(), lines.end(), "61,task_computed,4,1,1,,1,,,8,24,,,,") == 1);
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  CHECK_FALSE(std::filesystem::exists(folder.path() / "events.csv"));
}

TEST_CASE("slices of a track lie apart or within one another", "[report]") {
  const auto run = made_up_run();
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  const auto trace = nlohmann::json::parse(read_text(folder.path() / "trace.json"));
  const auto all = tracks(trace);
  for (const auto& [id, track] : all) {
    INFO("track " << id);
    CHECK(properly_nested(track));
  }
  // Worker 4's own track, as in the drawing of made_up_run.hpp.
  std::vector<std::string> names;
  std::map<std::string, int> tids;
  for (const auto& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name") tids[event["args"]["name"]] = event["tid"];
  }
  REQUIRE(tids.count("worker 4 @ west, w0") == 1);
  REQUIRE(tids.count("worker 4 @ west, w0: transfers 1") == 1);
  for (const auto& slice : all.at(tids["worker 4 @ west, w0"])) names.push_back(slice["name"]);
  CHECK(names == std::vector<std::string>{"path 1, step 0", "gather", "inner steps, lost", "down", "wait",
                                          "path 1, step 1", "gather", "inner steps", "store", "wait", "down"});
  CHECK(all.at(tids["worker 4 @ west, w0: transfers 1"]).size() == 3);
  CHECK(trace["otherData"]["left_out"] == 0);
}

TEST_CASE("trace.json says which job a worker did", "[report]") {
  auto run = made_up_run();
  const auto did = [&run](double begin, EventKind started, EventKind done, int path) {
    run.events.push_back({.time = Seconds(begin), .kind = started, .node = NodeId{3}, .path = PathId{path}});
    run.events.push_back({.time = Seconds(begin + 1), .kind = done, .node = NodeId{3}, .path = PathId{path}});
  };
  did(76, EventKind::evaluation_started, EventKind::evaluation_done, 1);
  did(77, EventKind::fitting_started, EventKind::fitting_done, -1);
  did(78, EventKind::routing_started, EventKind::routing_done, -1);
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  std::map<double, std::string> names;
  const auto trace = nlohmann::json::parse(read_text(folder.path() / "trace.json"));
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["dur"] == 1e6) names[event["ts"].get<double>() / 1e6] = event["name"];
  }
  CHECK(names[76] == "evaluate path 1");
  CHECK(names[77] == "fit router");
  CHECK(names[78] == "route documents");
}

TEST_CASE("concurrent transfers of a worker get tracks of their own", "[report]") {
  auto run = made_up_run();
  for (const double begin : {1.0, 2.0, 3.0}) {
    run.events.push_back({.time = Seconds(begin + 10),
                          .kind = EventKind::transfer,
                          .detail = static_cast<std::uint8_t>(MessageKind::module),
                          .node = NodeId{3},
                          .peer = NodeId{1},
                          .begin = Seconds(begin),
                          .bytes = 1});
  }
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  for (const auto& [id, track] : tracks(nlohmann::json::parse(read_text(folder.path() / "trace.json")))) {
    CHECK(properly_nested(track));
  }
}

TEST_CASE("a task that was assigned before the one before it was known to end does not overlap it", "[report]") {
  auto run = made_up_run();
  for (Event& event : run.events) {
    // As a coordinator on another clock may tell it: worker 3's next task was assigned at 40 s.
    if (event.kind == EventKind::task_committed && event.time == Seconds(36)) event.time = Seconds(41);
  }
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  for (const auto& [id, track] : tracks(nlohmann::json::parse(read_text(folder.path() / "trace.json")))) {
    INFO("track " << id);
    CHECK(properly_nested(track));
  }
}

TEST_CASE("trace.json holds no more slices than allowed, the first ones, and says so", "[report]") {
  const auto run = made_up_run();
  const TemporaryFolder folder;
  for (const std::int64_t limit : {0, 1, 7, 20}) {
    write_outputs(run.facts, run.events, {.folder = folder.path(), .trace_slices = limit});
    const auto trace = nlohmann::json::parse(read_text(folder.path() / "trace.json"));
    std::int64_t count = 0;
    for (const auto& [id, track] : tracks(trace)) {
      CHECK(properly_nested(track));
      count += static_cast<std::int64_t>(track.size());
    }
    CHECK(count <= limit);
    CHECK(trace["otherData"]["left_out"] > 0);
    CHECK(trace["traceEvents"].back()["name"].get<std::string>().find("later slices are left out") !=
          std::string::npos);
  }
}

TEST_CASE("a folder that cannot be written is named", "[report]") {
  const auto run = made_up_run();
  const TemporaryFolder folder;
  write_file(folder.path() / "file", std::string_view("not a folder"));
  CHECK_THROWS_WITH(write_outputs(run.facts, run.events, {.folder = folder.path() / "file" / "out"}),
                    Catch::Contains((folder.path() / "file").string()));
}
