#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

constexpr const char* kHead =
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n";
constexpr const char* kRun = DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg";

struct Ran {
  Outcome outcome;
  nlohmann::json summary;  ///< null where the run left none
};

/// Runs dipaco-sim on `body` in a folder of its own, which also has `spot.csv`.
Ran simulate(const std::string& body, std::vector<std::string> more = {}, const std::string& spot = "") {
  const TemporaryFolder folder;
  write_file(folder.path() / "scenario.xml",
             body.starts_with("<") && !body.starts_with("<?xml") ? kHead + body + "</platform>\n" : body);
  write_file(folder.path() / "spot.csv", spot);
  std::vector<std::string> words{folder.path() / "scenario.xml", "--learn", "off", "--out", folder.path() / "out"};
  if (body.find("\"run\"") == std::string::npos) words.insert(words.end(), {"--run", kRun});
  words.insert(words.end(), more.begin(), more.end());
  Ran ran{.outcome = run_built("dipaco-sim", words), .summary = {}};
  if (ran.outcome.status == 0 && std::filesystem::exists(folder.path() / "out" / "summary.json")) {
    ran.summary = nlohmann::json::parse(read_text(folder.path() / "out" / "summary.json"));
  }
  return ran;
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of('\n');
  return text.substr(text.rfind('\n', end) + 1, end - text.rfind('\n', end));
}

/// Two hosts, a worker each.
constexpr const char* kPair = R"(<zone id="w" routing="Full"><prop id="workers" value="all"/>
<host id="a" speed="1Tf"/><host id="b" speed="1Tf"/><link id="l" bandwidth="1Gbps" latency="1ms"/>
<route src="a" dst="b"><link_ctn id="l"/></route></zone>)";

/// The same with one worker.
constexpr const char* kLonely = R"(<zone id="w" routing="Full"><prop id="workers" value="1"/>
<host id="a" speed="1Tf"/><host id="b" speed="1Tf"><prop id="role" value="store"/></host>
<link id="l" bandwidth="1Gbps" latency="1ms"/><route src="a" dst="b"><link_ctn id="l"/></route></zone>)";

}  // namespace

TEST_CASE("a scenario runs without the workers of a host or a site, and not without all", "[sim]") {
  constexpr const char* kTwoSites = R"(<zone id="w" routing="Full">
<zone id="x" routing="Full"><prop id="workers" value="all"/><host id="a" speed="1Tf"/><host id="b" speed="1Tf"/>
<link id="ab" bandwidth="1Gbps" latency="1ms"/><route src="a" dst="b"><link_ctn id="ab"/></route></zone>
<zone id="y" routing="Full"><prop id="workers" value="c"/><host id="c" speed="1Tf"/></zone>
<link id="l" bandwidth="1Gbps" latency="1ms"/>
<zoneRoute src="x" dst="y" gw_src="a" gw_dst="c"><link_ctn id="l"/></zoneRoute></zone>)";
  const auto workers = [&](const std::vector<std::string>& without) {
    const Ran ran = simulate(kTwoSites, without);
    REQUIRE(ran.outcome.status == 0);
    return std::round(ran.summary["worker_provisioned_s"].get<double>() / ran.summary["simulated_s"].get<double>());
  };
  CHECK(workers({}) == 3);
  CHECK(workers({"--without", "y"}) == 2);
  CHECK(workers({"--without", "b"}) == 2);
  CHECK(workers({"--without", "b", "--without", "a"}) == 1);
  const auto refused = [&](const std::vector<std::string>& without) {
    const Ran ran = simulate(kTwoSites, without);
    CHECK(ran.outcome.status == 2);
    return last_line(ran.outcome.error);
  };
  CHECK_THAT(refused({"--without", "xx"}), Contains("--without xx is no site or host with workers or evaluators; did "
                                                    "you mean \"x\"?"));
  CHECK_THAT(refused({"--without", "x", "--without", "c"}), Contains("--without c leaves no worker"));
}

TEST_CASE("a scenario that is wrong ends dipaco-sim with status 2 and one line that says where", "[sim]") {
  struct Wrong {
    const char* body;
    const char* place;
    const char* what;
  };
  const auto wrong = GENERATE(values<Wrong>({
      {R"(<zone id="w" routing="Full"><host id="a" speed="1Gf"></zone>)", "scenario.xml:4:", "Unexpected end-tag"},
      {"no xml at all", "scenario.xml:1:", "Unexpected character"},
      {R"(<zone id="w" routing="Ful"><host id="a" speed="1Gf"/></zone>)", "scenario.xml:4:", "Not a valid model!"},
      {"<zone id='w' routing='Full'>\n<host id='a' speed='1Gf'/>\n<host id='a' speed='1Gf'/></zone>",
       "scenario.xml:6:", "second host named 'a'"},
      {R"(<zone id="w" routing="Full"><host id="a" speed="1Gf" state_file="none"/></zone>)",
       "scenario.xml:4:", "names no file: "},
      {R"(<config><prop id="network/modl" value="CM02"/></config><zone id="w" routing="Full"><host id="a" speed="1Gf"/></zone>)",
       "scenario.xml:4:", "Bad config key: network/modl"},
      {R"(<config><prop id="network/model" value="CM3"/></config><zone id="w" routing="Full"><host id="a" speed="1Gf"/></zone>)",
       "scenario.xml:4:", "Model 'CM3' is invalid"},
      {"<zone id=\"w\" routing=\"Full\"><prop id=\"workers\" value=\"all\"/>\n<host id=\"a\" speed=\"1Gf\"/>"
       "<host id=\"b\" speed=\"1Gf\"/></zone>",
       "scenario.xml:5:", "no route from host \"a\" (zone \"w\") to host \"b\""},
      {R"(<zone id="w" routing="Full"><prop id="wrkers" value="all"/><prop id="store" value="1"/><host id="a" speed="1Gf"/></zone>)",
       "scenario.xml:4:", "unknown prop \"wrkers\" in <zone id=\"w\">; did you mean \"workers\"?"},
      {R"(<zone id="w" routing="Full"><prop id="workers" value="b"/><host id="a" speed="1Gf"/></zone>)",
       "scenario.xml:4:", "names the host \"b\", which is not there"},
      {R"(<zone id="w" routing="Full"><prop id="store" value="1"/><host id="a" speed="1Gf"/></zone>)",
       "scenario.xml:", "no worker anywhere"},
      {R"(<zone id="w" routing="Full"><prop id="workers" value="1"/><prop id="run" value="none.cfg"/><host id="a" speed="1Gf"/></zone>)",
       "none.cfg", "no"},
  }));
  const Outcome outcome = simulate(wrong.body).outcome;
  CAPTURE(wrong.body, outcome.error);
  CHECK(outcome.status == 2);
  CHECK_THAT(last_line(outcome.error), StartsWith("dipaco-sim: ") && Contains(wrong.place) && Contains(wrong.what));
  CHECK(outcome.output.empty());
}

TEST_CASE("wrong words and files end dipaco-sim with their status", "[sim]") {
  CHECK(run_built("dipaco-sim", {}).status == 2);
  CHECK_THAT(run_built("dipaco-sim", {"none.xml"}).error, Contains("none.xml: there is no such scenario file"));
  CHECK_THAT(simulate(kPair, {"--cfg=network/modl:CM02"}).outcome.error, Contains("network/modl"));
  CHECK(simulate(kPair, {"--cfg=network/modl:CM02"}).outcome.status == 2);
  CHECK_THAT(simulate(kPair, {"--lern", "off"}).outcome.error, Contains("did you mean \"--learn\"?"));
  const std::string spot = R"(<zone id="w" routing="Full"><prop id="workers" value="all"/><prop id="store" value="a"/>
      <prop id="preemption" value="spot.csv"/><host id="a" speed="1Tf"/><host id="b" speed="1Tf"/>
      <link id="l" bandwidth="1Gbps" latency="1ms"/><route src="a" dst="b"><link_ctn id="l"/></route></zone>)";
  const Outcome empty_cell = simulate(spot, {}, "time_s,available\n0,\n").outcome;
  CHECK(empty_cell.status == 3);
  CHECK_THAT(empty_cell.error, Contains("spot.csv:2: an empty cell"));
  const Outcome text = simulate(spot, {}, "time_s,available\n0,many\n").outcome;
  CHECK(text.status == 3);
  CHECK_THAT(text.error, Contains("spot.csv:2: the count \"many\""));
  CHECK(simulate(spot, {}, "time_s,available\n0,1\n").outcome.status == 0);
  const Outcome alone = simulate(kLonely, {"--set", "run.backup_tasks=on"}).outcome;
  CHECK(alone.status == 2);
  CHECK_THAT(alone.error, Contains("there is only one; add a worker"));
  CHECK(simulate(kPair, {"--set", "run.backup_tasks=on"}).outcome.status == 0);
}

TEST_CASE("limits of liveness that no answer or no task can keep end dipaco-sim with status 2 and say which", "[sim]") {
  std::string far = kPair;
  far.replace(far.find("1ms"), 3, "30s");
  const auto with = [](const std::string& body, const std::string& limit, const std::string& deadline) {
    return simulate(body, {"--set", "liveness.limit=" + limit, "--set", "liveness.deadline=" + deadline}).outcome;
  };
  const Outcome no_answer = with(far, "20s", "1h");
  CHECK(no_answer.status == 2);
  CHECK_THAT(last_line(no_answer.error), Contains("liveness.limit=20s is not above the 60 s") &&
                                             Contains("from host \"a\" to host \"b\"") && Contains("scenario.xml: "));
  const Outcome no_commit = with(far, "20s", "40s");
  CHECK(no_commit.status == 2);
  CHECK_THAT(last_line(no_commit.error), Contains("liveness.deadline=40s is not above the 60 s"));
  CHECK(with(far, "61s", "1h").status == 0);
  std::string slow = kPair;
  slow.insert(slow.find("<host"), "<prop id=\"step_time\" value=\"50s\"/>");  // four of them a task
  const Outcome no_task = with(slow, "20s", "200s");
  CHECK(no_task.status == 2);
  CHECK_THAT(last_line(no_task.error),
             Contains("liveness.deadline=200s is not above the 200 s that the 4 inner steps"));
  CHECK(with(slow, "20s", "250s").status == 0);
}

TEST_CASE("platforms in the manner of SimGrid's examples run with a run file", "[sim]") {
  const std::string cluster = R"(<zone id="world" routing="Full">
    <cluster id="bob" prefix="node-" suffix=".simgrid.org" radical="0-11" speed="1Gf" bw="125MBps" lat="50us"
             bb_bw="2.25GBps" bb_lat="500us" router_id="bob-router"><prop id="wattage_per_state" value="100.0:120.0:200.0"/>
    </cluster></zone>)";
  const Ran clustered = simulate(cluster);
  CAPTURE(clustered.outcome.error);
  CHECK(clustered.outcome.status == 0);
  CHECK(clustered.summary["workers"] == 12);
  CHECK_THAT(clustered.outcome.error, Contains("every host is a worker") &&
                                          Contains("\"node-0.simgrid.org\" also coordinates") &&
                                          Contains("mfu of 12 worker hosts is not given: 0.4"));
  const std::string zones = R"(<zone id="root" routing="Dijkstra">
    <zone id="one" routing="Dijkstra"><host id="h1" speed="100Mf,50Mf" core="4"><prop id="wattage_off" value="10"/></host>
      <host id="h2" speed="1Gf"/><router id="r1"/><link id="l1" bandwidth="100MBps" latency="1ms"/>
      <link id="l2" bandwidth="100MBps" latency="1ms"/><route src="h1" dst="r1"><link_ctn id="l1"/></route>
      <route src="h2" dst="r1"><link_ctn id="l2"/></route></zone>
    <zone id="two" routing="Floyd"><host id="h3" speed="1Gf"/><router id="r2"/><link id="l3" bandwidth="100MBps" latency="1ms"/>
      <route src="h3" dst="r2"><link_ctn id="l3"/></route></zone>
    <link id="wan" bandwidth="10MBps" latency="20ms"/>
    <zoneRoute src="one" dst="two" gw_src="r1" gw_dst="r2"><link_ctn id="wan"/></zoneRoute></zone>)";
  const Ran zoned = simulate(zones);
  CAPTURE(zoned.outcome.error);
  CHECK(zoned.outcome.status == 0);
  CHECK(zoned.summary["sites"] == 2);
  CHECK(zoned.summary["workers"] == 3);
  CHECK(zoned.summary["wan_bytes"] > 0);
}

TEST_CASE("the network model is the scenario's, the command line's or ours, and the summary names it", "[sim]") {
  CHECK_THAT(simulate(kPair).summary["network_model"].get<std::string>(),
             StartsWith("CM02, latency x 1, bandwidth x 1, crosstraffic off, TCP-gamma 67108864 B"));
  CHECK_THAT(simulate(kPair, {"--cfg=network/model:LV08"}).summary["network_model"].get<std::string>(),
             StartsWith("LV08, latency x 13.01, bandwidth x 0.97, crosstraffic on"));
  const std::string own = std::string("<config><prop id=\"network/model\" value=\"LV08\"/></config>") + kPair;
  CHECK_THAT(simulate(own).summary["network_model"].get<std::string>(), StartsWith("LV08, latency x 13.01"));
  std::string tcp = kPair;
  tcp.insert(tcp.find("<prop"), "<prop id=\"tcp_streams\" value=\"2\"/><prop id=\"tcp_window\" value=\"1MiB\"/>");
  CHECK_THAT(simulate(tcp).summary["network_model"].get<std::string>(), Contains("TCP-gamma 2097152 B (2 streams"));
  CHECK(simulate(tcp, {"--cfg=network/TCP-gamma:0"}).outcome.status == 2);
}

TEST_CASE("the shipped scenarios run, machines of wan_4dc go while they work, and machines that are too slow wait",
          "[sim]") {
  const TemporaryFolder folder;
  const auto summary = [&](const std::string& name, std::vector<std::string> more = {}) {
    const auto out = folder.path() / (std::filesystem::path(name).stem().string() + std::to_string(more.size()));
    std::vector<std::string> words{
        DIPACO_SOURCE_DIR "/" + name + ".xml", "--learn", "off", "--out", out, "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_built("dipaco-sim", words);
    CAPTURE(outcome.error);
    REQUIRE(outcome.status == 0);
    CHECK_THAT(outcome.error, !Contains("warning"));
    return nlohmann::json::parse(outcome.output);
  };
  const auto wan = summary("scenarios/wan_4dc");
  CHECK(wan["sites"] == 4);
  CHECK(wan["paths"] == 8);
  CHECK(wan["inner_steps_lost"] == 0);  // two minutes of notice are enough to end a task, or to hand it back
  CHECK(wan["workers_lost"] >= 1);
  CHECK(wan["simulated_s"] > 1800);
  CHECK(wan["critical_compute_s"] > 0.9 * wan["simulated_s"].get<double>());
  CHECK(wan["simulated_s"] < summary("scenarios/wan_4dc", {"--set", "run.schedule=first_free"})["simulated_s"]);
  // Six of these ten machines would only make it later: 13 min 3 s is what the other four need to compute.
  const auto scheduled = summary("tests/sim/unequal_4dc");
  CHECK(scheduled["simulated_s"] > 783);
  CHECK(scheduled["simulated_s"] < 960);
  CHECK(scheduled["wan_bytes"] < 30'000'000'000);
  CHECK(scheduled["workers_in_reserve"] == 6);
  CHECK_THAT(scheduled["in_reserve"].get<std::string>(), Contains("tokyo-0: 5 min 4"));
  CHECK(summary("scenarios/diloco_2dc")["tasks_completed"] == 48);
  CHECK(summary("scenarios/flat_moe")["bytes_outer_gradient"].is_null());
  const auto paper = summary("scenarios/paper_16x16", {"--set", "outer.steps=10"});
  CHECK(paper["workers"] == 256);
  CHECK(paper["critical_commit_s"] > 100);  // disks and what stores take in are charged
  CHECK(paper["peak_rss_bytes"] < 600'000'000);
  CHECK(summary("tests/sim/paper_16x16_fat", {"--set", "outer.steps=10"})["peak_rss_bytes"] < 500'000'000);
}

TEST_CASE("the example of docs/scenarios.md runs", "[sim]") {
  const std::string docs = read_text(DIPACO_SOURCE_DIR "/docs/scenarios.md");
  const auto begin = docs.find("```xml\n") + 7;
  const Ran ran = simulate(docs.substr(begin, docs.find("```", begin) - begin), {"--run", kRun});
  CAPTURE(ran.outcome.error);
  CHECK(ran.outcome.status == 0);
  CHECK(ran.summary["workers"] == 7);
  CHECK_THAT(ran.outcome.error, !Contains("warning"));
}

TEST_CASE("a signal ends a simulation cleanly", "[sim]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_until("tasks ", SIGTERM, "dipaco-sim",
                {DIPACO_SOURCE_DIR "/scenarios/paper_16x16.xml", "--learn", "off", "--out", folder.path() / "out"});
  CHECK(outcome.status == 143);
  CHECK_THAT(outcome.error, Contains("stopped before its end"));
  CHECK(!std::filesystem::exists(folder.path() / "out" / "summary.json"));
}

TEST_CASE("a simulation that ends for want of progress leaves all reports, marked as not finished and with why",
          "[sim]") {
  const TemporaryFolder folder;
  write_file(folder.path() / "scenario.xml", std::string(kHead) + kPair + "</platform>\n");
  const std::filesystem::path out = folder.path() / "out";
  std::vector<std::string> words{folder.path() / "scenario.xml", "--run", kRun, "--learn", "off", "--out", out};
  words.insert(words.end(), {"--events", "on", "--set", "liveness.deadline=100s", "--set"});
  words.emplace_back("faults.kill=worker:0@outer_step=1,computing; worker:1@outer_step=1,computing");
  const Outcome outcome = run_built("dipaco-sim", words);
  CHECK(outcome.status == 4);
  CHECK_THAT(outcome.output, Contains("not finished"));
  const std::string why = last_line(outcome.error);
  CHECK_THAT(why, Contains("no progress for 100 s: 0 workers") && Contains("start workers"));
  for (const char* file : {"tasks.csv", "workers.csv", "links.csv", "outer_steps.csv", "events.csv", "trace.json"}) {
    INFO(file);
    CHECK(std::filesystem::exists(out / file));
  }
  const auto summary = nlohmann::json::parse(read_text(out / "summary.json"));
  CHECK(summary["finished"] == false);
  CHECK(why == "dipaco-sim: " + summary["why_unfinished"].get<std::string>());
  CHECK(summary["simulated_s"] > 100);
  CHECK(summary["tasks_completed"] >= 4);  // the first outer step's, of 12
  CHECK(summary["tasks_completed"] < 12);
  CHECK(summary["workers_lost"] == 2);
  CHECK_FALSE(summary.contains("parameters_hash"));
  const Outcome resumed = run_built("dipaco-sim", {folder.path() / "scenario.xml", "--resume", out});
  CHECK(resumed.status == 2);
  CHECK_THAT(last_line(resumed.error), Contains("ended for want of progress, and would again"));
}

}  // namespace dipaco::testing
