// dipaco-run --backend gloo at two sites: what goes through the store of one.

#include <sys/utsname.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/gloo/started.hpp"

namespace dipaco::testing {
namespace {

/// As a preflight prints it, of which the workers' machine was told 50 ms an inner step: so many bytes a second.
std::string lines_of(const std::string& rate, const std::string& machine, const std::string& round_trip = "0.001") {
  const std::string link = R"("round_trip_s": )" + round_trip + R"(, "bytes_per_s": )" + rate + "}";
  return R"({"links": [{"from": "hub-0", "to": "home-0", )" + link + R"(, {"from": "home-0", "to": "hub-0", )" + link +
         R"(], "processes": [{"name": "hub-0", "site": "hub", "site_name": "hub", "machine": ")" + machine +
         R"(", "step_time_s": 0.05}, {"name": "home-0", "site": "home", "site_name": "home"}], "sites": []})";
}

std::string this_machine() {
  utsname name{};
  ::uname(&name);
  return name.nodename;
}

/// The executors that stepped modules, as events.csv tells.
std::set<std::string> owners_in(const std::string& out) {
  std::istringstream lines(read_text(out + "/events.csv"));
  std::set<std::string> owners;
  for (std::string line; std::getline(lines, line);) {
    const auto cells = split(line, ',');  // time_s, event, node
    if (cells[1] == "module_stepped") owners.emplace(cells[2]);
  }
  return owners;
}

/// The processes of the test below as a scenario: a step of 100 ms, lines that are full for no time.
std::string two_sites() {
  std::string zones;
  std::string routes;
  for (const std::string site : {"hub", "home"}) {
    zones += "<zone id=\"" + site + "\" routing=\"Full\"><prop id=\"workers\" value=\"" + site + "-1, " + site +
             "-2\"/><prop id=\"store\" value=\"" + site + "-0\"/><prop id=\"executors\" value=\"" + site +
             "-0\"/><prop id=\"step_time\" value=\"100ms\"/><link id=\"" + site +
             "-lan\" bandwidth=\"100Gbps\" latency=\"10us\"/>";
    for (const std::string number : {"0", "1", "2"})
      zones += "<host id=\"" + site + "-" + number + "\" speed=\"1Tf\"/>";
    for (const auto& [one, other] : {std::pair("0", "1"), std::pair("0", "2"), std::pair("1", "2")}) {
      zones += "<route src=\"" + site + "-" + one + "\" dst=\"" + site + "-" + other + "\"><link_ctn id=\"" + site +
               "-lan\"/></route>";
    }
    zones += "</zone>";
  }
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform "
         "version=\"4.1\"><zone id=\"w\" routing=\"Full\">"
         "<prop id=\"coordinator\" value=\"hub-0\"/>" +
         zones + R"(<link id="line" bandwidth="100Gbps" latency="100us"/>
<zoneRoute src="hub" dst="home" gw_src="hub-0" gw_dst="home-0"><link_ctn id="line"/></zoneRoute></zone></platform>)";
}

void require_all_end_well(Started& run) {
  for (Spawned& process : run.all()) {
    const int status = process.wait(kProcessLimit);
    INFO(process.log());
    REQUIRE(status == 0);
  }
}

}  // namespace

TEST_CASE(
    "executors behind thin lines own no module where lines are known, and the parameters are those of one process",
    "[gloo][learn]") {
  // Too thin, fat enough, and not known.
  const auto [rate, owners] = GENERATE(table<std::string, std::size_t>({{"1000", 1}, {"1e12", 2}, {"", 2}}));
  const Words shape{"--set", "topology.levels=2x4"};
  Started run;
  const std::string file = run.folder() / "lines.json";
  std::ofstream(file) << lines_of(rate, this_machine());
  Words coordinator = joined(shape, {"--site", "hub", "--role", "store", "--role", "executor", "--events", "on",
                                     "--expect", "executors=2,stores=2,workers=3"});
  if (!rate.empty()) coordinator = joined(coordinator, {"--lines", file});
  run.node("coordinator", coordinator);
  run.node("store", joined(shape, {"--site", "home", "--role", "executor"}));
  run.node("worker", joined(shape, {"--site", "hub"}));
  for (int k = 0; k < 2; ++k) run.node("worker", joined(shape, {"--site", "home"}));
  require_all_end_well(run);
  INFO("lines of " << rate << " bytes a second");
  CHECK(hash_in(run.out() + "/summary.json") == loopback_hash(shape));
  CHECK(owners_in(run.out()).size() == owners);
}

TEST_CASE("lines that no preflight has printed, or with run.known_lines=off, end a process with status 2", "[gloo]") {
  Started run;
  const std::string file = run.folder() / "lines.json";
  std::ofstream(file) << lines_of("1000", "here");
  const auto refused = [&](const Words& more, const std::string& why) {
    Spawned& process = run.node("coordinator", more);
    CHECK(process.wait(kProcessLimit) == 2);
    CHECK_THAT(process.log(), Catch::Contains(why));
  };
  refused({"--lines", Started::run_file()}, "tiny.cfg is not what \"dipaco-run preflight --format json\" prints");
  refused({"--lines", "nowhere.json"}, "nowhere.json is not what");
  refused({"--lines", file, "--set", "run.known_lines=off"}, "leave one of them out");
  refused({"--expect", "workers=-1"}, "workers=N");
  refused({"--expect", "workers=1", "--set", "run.backup_tasks=on"}, "there is only one; add a worker");
  const std::string far = run.folder() / "far.json";
  std::ofstream(far) << lines_of("1000", "here", "20");
  refused({"--lines", far, "--set", "liveness.limit=15s", "--set", "liveness.period=1s"},
          "--lines: liveness.limit=15s is not above the 20 s that a message from site \"home\" to site \"hub\" and its "
          "answer take as it was measured: a node would count as lost before it can answer");
  Spawned& worker = run.node("worker", {"--lines", file});
  CHECK(worker.wait(kProcessLimit) == 2);
  CHECK_THAT(worker.log(), Catch::Contains("--lines is for the coordinator"));
}

TEST_CASE("workers far from executors share their store's cache and sums, and end with the parameters of one process",
          "[gloo][learn]") {
  const Words shape{"--set", "topology.levels=2x4"};
  Started run;
  run.node("coordinator",
           joined(shape, {"--site", "hub", "--role", "store", "--role", "executor", "--expect", "stores=2"}));
  run.node("store", joined(shape, {"--site", "home"}));
  for (int k = 0; k < 4; ++k) run.node("worker", joined(shape, {"--site", "home"}));
  require_all_end_well(run);
  const auto summary = nlohmann::json::parse(read_text(run.out() + "/summary.json"));
  CHECK(summary["parameters_hash"] == loopback_hash(shape));
  const auto count = [&](const std::string& kind) { return summary.value("messages_" + kind, std::int64_t{0}); };
  // Eight paths with two shared modules each, three outer steps: each gradient goes to its owner or to the store, and
  // from there singly or in a sum, of which each is answered.
  const std::int64_t to_store = count("relayed_gradient") - count("gradient_taken") + count("gradient_sum");
  CHECK(count("outer_gradient") + to_store == 8 * 2 * 3);
  CHECK(to_store > 0);
  CHECK(count("fetch_through_cache") > 0);
  CHECK(count("fetch_failed") == 0);
  CHECK(count("path_module") == 0);  // none was made again
}

TEST_CASE("paths that share modules begin at one site, and the bytes between sites are what that leaves", "[gloo]") {
  const auto cache = GENERATE(as<std::string>(), "off", "on");
  const Words shape{"--set",       "topology.levels=4x2",
                    "--set",       "topology.path_specific=embedding",
                    "--set",       "liveness.limit=30s",
                    "--set",       "model.hidden=128",
                    "--set",       "model.head_size=64",
                    "--set",       "run.site_sums=off",
                    "--set",       "run.site_cache=" + cache,
                    "--learn",     "off",
                    "--step-time", "100ms"};
  Started run;
  run.node("coordinator", joined(shape, {"--site", "hub", "--role", "store", "--role", "executor", "--expect",
                                         "executors=2,stores=2,workers=4"}));
  run.node("store", joined(shape, {"--site", "home", "--role", "executor"}));
  for (const std::string site : {"hub", "hub", "home", "home"}) {
    run.node("worker", joined(shape, {"--site", site}));
  }
  require_all_end_well(run);
  const auto summary = nlohmann::json::parse(read_text(run.out() + "/summary.json"));
  const auto size = [&](const std::string& kind) {
    return summary["bytes_" + kind].get<double>() / summary["messages_" + kind].get<double>();
  };
  // A site's four paths have two modules of the first level to themselves; of each of the other level two paths are at
  // the site that does not own it. Three outer steps have outer gradients, of two of them somebody begins with
  // versions: each crosses once to a cache, else once for each task, less what its worker has from the task before.
  const double gradients = 3 * 4 * size("outer_gradient");
  const double moved = summary["wan_bytes"];
  INFO("a cache at each site: " << cache);
  CHECK(summary["tasks_requeued"] == 0);
  if (cache == "on") {
    CHECK(moved == Approx(gradients + 2 * 2 * size("module")).epsilon(0.02));
  } else {
    CHECK(moved > gradients + 2 * 2 * size("module"));
    CHECK(moved < 1.02 * (gradients + 2 * 4 * size("module")));
  }
}

TEST_CASE("formats and replicas move the same bytes between real sites as between simulated ones", "[gloo]") {
  const auto choice = GENERATE(as<Words>(), Words{}, Words{"--set", "outer.outer_gradient_format=int8"},
                               Words{"--set", "run.replicas=2"});
  const Words shape = joined({"--set", "topology.levels=4x2", "--set", "topology.path_specific=embedding", "--set",
                              "liveness.limit=30s", "--set", "model.hidden=128", "--set", "model.head_size=64", "--set",
                              "run.site_sums=off", "--set", "run.known_lines=off", "--learn", "off"},
                             choice);
  const Words timed = joined(shape, {"--step-time", "100ms"});
  Started run;
  run.node_on("hub-0", "coordinator",
              joined(timed, {"--site", "hub", "--role", "store", "--role", "executor", "--expect",
                             "executors=2,stores=2,workers=4"}));
  run.node_on("home-0", "store", joined(timed, {"--site", "home", "--role", "executor"}));
  for (const std::string machine : {"hub-1", "hub-2", "home-1", "home-2"}) {
    run.node_on(machine, "worker", joined(timed, {"--site", machine.substr(0, machine.find('-'))}));
  }
  require_all_end_well(run);
  const auto real = nlohmann::json::parse(read_text(run.out() + "/summary.json"));

  const std::string out = run.folder() / "simulated";
  write_file(run.folder() / "two_sites.xml", two_sites());
  Spawned& simulator = run.start(
      joined({"dipaco-sim", run.folder() / "two_sites.xml", "--run", Started::run_file(), "--out", out}, shape));
  REQUIRE(simulator.wait(kProcessLimit) == 0);
  const auto simulated = nlohmann::json::parse(read_text(out + "/summary.json"));
  INFO((choice.empty() ? "as it is" : choice.back()));
  // Which module versions a worker still has depends on who takes which path; what it gives does not.
  for (const std::string kind : {"outer_gradient", "put_path_state"}) {
    INFO(kind);
    CHECK(real["messages_" + kind] == simulated["messages_" + kind]);
    CHECK(real["bytes_" + kind] == simulated["bytes_" + kind]);
  }
  const auto figure = [](const nlohmann::json& of, const char* key) { return of[key].get<double>(); };
  // With replicas a version is fetched from the executor that has it first, be it at the other site: 10 to 18 of 48.
  const double version = figure(real, "bytes_module") / figure(real, "messages_module");
  const double versions = figure(real, "bytes_module") - figure(simulated, "bytes_module");
  const double others = choice.size() > 1 && choice.back() == "run.replicas=2" ? 24 * version : std::abs(versions);
  INFO(versions << " bytes of module versions more than simulated");
  CHECK(std::abs(versions) < 20 * version);
  CHECK(figure(real, "wan_bytes") == Approx(figure(simulated, "wan_bytes")).epsilon(0.02).margin(others));
}

}  // namespace dipaco::testing
