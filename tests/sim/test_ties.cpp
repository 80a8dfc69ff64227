// Which of equally good workers is the first, through dipaco-sim.

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "backends/sim/scenario/ties.hpp"
#include "backends/sim/scenario/without.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

/// Two sites of two equal workers each. @param root, x  props of the root zone, and of the site x
std::string two_equal_sites(const std::string& root, const std::string& x = "") {
  const auto site = [](const std::string& name, const std::string& props) {
    return "<zone id=\"" + name + "\" routing=\"Full\">" + props + R"(<prop id="workers" value="2"/>
<prop id="step_time" value="1s"/><prop id="store" value="1"/>
<host id=")" +
           name + R"(0" speed="1Tf"/><host id=")" + name + R"(1" speed="1Tf"/>
<link id="in-)" +
           name + R"(" bandwidth="1Gbps" latency="50us"/><route src=")" + name + R"(0" dst=")" + name +
           R"(1"><link_ctn id="in-)" + name + "\"/></route></zone>\n";
  };
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">" +
         root + "\n" + site("x", x) + site("y", "") +
         R"(<link id="l" bandwidth="8Mbps" latency="1ms"/>
<zoneRoute src="x" dst="y" gw_src="x0" gw_dst="y0"><link_ctn id="l"/></zoneRoute></zone></platform>)";
}

constexpr const char* kDrawn = R"(<prop id="ties" value="drawn"/>)";

/// Runs three paths on the four workers.
struct TiedRun {
  explicit TiedRun(const std::string& scenario, const std::vector<std::string>& more) {
    write_file(folder.path() / "s.xml", scenario);
    std::vector<std::string> words{folder.path() / "s.xml", "--learn", "off", "--out", folder.path() / "out"};
    words.insert(words.end(), {"--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg", "--events", "on", "--set",
                               "inner.steps=20", "--set", "topology.levels=3"});
    words.insert(words.end(), more.begin(), more.end());
    outcome = run_built("dipaco-sim", words);
    if (outcome.status == 0) tasks = read_text(folder.path() / "out/tasks.csv");
  }
  TemporaryFolder folder;
  Outcome outcome;
  std::string tasks;
};

Placement workers_named(const std::vector<std::string>& hosts) {
  Placement placement;
  placement.sites = {"x"};
  placement.nodes.push_back({.id = NodeId{0}, .role = Role::coordinator, .host = "c", .speed = {}});
  for (const std::string& host : hosts) {
    const NodeId id{static_cast<std::int32_t>(placement.nodes.size())};
    placement.nodes.push_back({.id = id, .role = Role::worker, .host = host, .speed = {}});
  }
  return placement;
}

std::string hosts_of(const Placement& placement) {
  std::string text;
  std::int32_t number = 0;
  for (const PlacedNode& node : placement.nodes) {
    CHECK(node.id == NodeId{number++});
    text += node.host + " ";
  }
  return text;
}

}  // namespace

TEST_CASE("workers are numbered in an order that the seed draws, of which a part keeps its order", "[sim]") {
  std::set<std::string> orders;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Placement all = workers_named({"a", "b", "d"});
    draw_ties(all, seed);
    const std::string order = hosts_of(all);
    CHECK(order.starts_with("c "));
    orders.insert(order);
    Placement two = workers_named({"a", "d"});
    draw_ties(two, seed);
    leave_out(all, {"b"});
    CHECK(hosts_of(two) == hosts_of(all));
  }
  CHECK(orders.size() == 6);
}

TEST_CASE("a seed draws which of equal workers are the first, only where the scenario says so", "[sim]") {
  const TiedRun numbered(two_equal_sites(""), {"--seed", "1"});
  INFO(numbered.outcome.error);
  REQUIRE(numbered.outcome.status == 0);
  CHECK(numbered.tasks == TiedRun(two_equal_sites(""), {"--seed", "2"}).tasks);
  CHECK(numbered.tasks == TiedRun(two_equal_sites(kDrawn), {"--set", "zone:w.ties=numbered"}).tasks);
  std::set<std::string> drawn;
  for (const char* const seed : {"1", "2", "3", "4", "5", "6"}) {
    const TiedRun run(two_equal_sites(kDrawn), {"--seed", seed});
    CHECK(run.tasks == TiedRun(two_equal_sites(""), {"--seed", seed, "--set", "zone:w.ties=drawn"}).tasks);
    drawn.insert(run.tasks);
  }
  CHECK(drawn.size() > 1);
}

TEST_CASE("ties that cannot be drawn are refused", "[sim]") {
  const TiedRun unknown(two_equal_sites(R"(<prop id="ties" value="draw"/>)"), {});
  CHECK(unknown.outcome.status == 2);
  CHECK_THAT(unknown.outcome.error,
             Contains("s.xml:3: ties=\"draw\" is neither drawn nor numbered; did you mean \"drawn\"?"));
  const TiedRun of_a_site(two_equal_sites("", kDrawn), {});
  CHECK(of_a_site.outcome.status == 2);
  CHECK_THAT(of_a_site.outcome.error, Contains("the prop \"ties\" belongs into the root zone"));
  const TiedRun struck(two_equal_sites(kDrawn), {"--set", "faults.kill=worker:1@outer_step=1"});
  CHECK(struck.outcome.status == 2);
  CHECK_THAT(struck.outcome.error, Contains("[faults] strike nodes by their numbers; leave one out"));
}

}  // namespace dipaco::testing
