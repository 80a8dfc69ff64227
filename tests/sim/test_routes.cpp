#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "backends/sim/engine/engine.hpp"
#include "backends/sim/scenario/routes.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/sim/simulated.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

/// A zone's hosts by what they are: stores are called NAME + "s0", ..., workers NAME + "w0", ...
struct RoutedZone {
  std::string name;
  std::string routing;
  int stores = 0;
  int workers = 0;
};

std::string scenario_text(const std::string& body) {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\">\n" +
         body + "</platform>\n";
}

std::vector<HostPair> pairs_of(const std::vector<RoutedZone>& zones) {
  const TemporaryFolder folder;
  std::string body;
  Placement placement;
  const auto add = [&](Role role, SiteId site, const std::string& host) {
    const NodeId id{static_cast<std::int32_t>(placement.nodes.size())};
    placement.nodes.push_back({.id = id, .role = role, .site = site, .host = host, .speed = {}});
  };
  for (const Role role : {Role::store, Role::worker}) {
    for (std::size_t z = 0; z < zones.size(); ++z) {
      const bool stores = role == Role::store;
      for (int k = 0; k < (stores ? zones[z].stores : zones[z].workers); ++k) {
        const std::string host = zones[z].name + (stores ? "s" : "w") + std::to_string(k);
        add(role, SiteId{static_cast<std::int32_t>(z)}, host);
        if (role == Role::worker) add(Role::evaluator, SiteId{static_cast<std::int32_t>(z)}, host);
      }
    }
  }
  for (const RoutedZone& zone : zones) {
    placement.sites.push_back(zone.name);
    body += "<zone id=\"" + zone.name + "\" routing=\"" + zone.routing + "\"/>\n";
  }
  write_file(folder.path() / "scenario.xml",
             scenario_text("<zone id=\"root\" routing=\"Full\">\n" + body + "</zone>\n"));
  return pairs_to_check(ScenarioFile(folder.path() / "scenario.xml"), placement);
}

/// Each pair once, whichever way: "as0-aw0 as0-aw1". Fails where one way is missing.
std::string undirected(const std::vector<HostPair>& pairs) {
  const std::set<HostPair> all(pairs.begin(), pairs.end());
  std::string text;
  for (const auto& [from, to] : all) {
    CHECK(all.contains({to, from}));
    if (from < to) text += (text.empty() ? "" : " ") + from + "-" + to;
  }
  return text;
}

/// What SimEngine::check_routes says of a scenario, as dipaco-sim asks it: "" or its error.
std::string refusal(const std::string& body) {
  const std::string said = in_child([&]() -> std::string {
    const TemporaryFolder folder;
    write_file(folder.path() / "scenario.xml", scenario_text(body));
    const ScenarioFile file(folder.path() / "scenario.xml");
    const ScenarioOptions options = read_options(file);
    const SimEngine engine(file, options, {});
    engine.check_routes(file, place(file, options, engine.zones(file)));
    return "";
  });
  return said;
}

/// Two stores and a worker in a zone of full routing; `routes` between them.
std::string full_zone(const std::string& routes) {
  return R"(<zone id="w" routing="Full"><prop id="workers" value="c"/><prop id="store" value="a, b"/>
<prop id="executors" value="a"/>
<host id="a" speed="1Gf"/>
<host id="b" speed="1Gf"/>
<host id="c" speed="1Gf"/>
<link id="l" bandwidth="1Gbps" latency="1ms"/>)" +
         routes + "</zone>\n";
}

std::string route(const std::string& from, const std::string& to, const std::string& more = "") {
  return "<route src=\"" + from + "\" dst=\"" + to + "\" " + more + "><link_ctn id=\"l\"/></route>\n";
}

/// A store in one zone and two workers in another, each at its zone's router; `cut` is left out of the text.
std::string two_zones(const std::string& cut) {
  std::string text = R"(<zone id="w" routing="Full">
<zone id="a" routing="Floyd"><prop id="store" value="a0"/><host id="a0" speed="1Gf"/><router id="ra"/>
<link id="la" bandwidth="1Gbps" latency="1ms"/><route src="a0" dst="ra"><link_ctn id="la"/></route></zone>
<zone id="b" routing="Floyd"><prop id="workers" value="all"/><prop id="store" value="none"/>
<host id="b0" speed="1Gf"/>
<host id="b1" speed="1Gf"/><router id="rb"/><link id="lb" bandwidth="1Gbps" latency="1ms"/>
<route src="b0" dst="rb"><link_ctn id="lb"/></route>
<route src="b1" dst="rb"><link_ctn id="lb"/></route></zone>
<link id="wan" bandwidth="1Gbps" latency="9ms"/>
<zoneRoute src="a" dst="b" gw_src="ra" gw_dst="rb"><link_ctn id="wan"/></zoneRoute></zone>
)";
  if (!cut.empty()) text.erase(text.find(cut), cut.size());
  return text;
}

}  // namespace

TEST_CASE("in a zone whose routes stand for each other all hosts are checked with one server", "[sim]") {
  CHECK(undirected(pairs_of({{"a", "Floyd", 2, 2}})) == "as0-as1 as0-aw0 as0-aw1");
}

TEST_CASE("in a zone with routing Full each server is checked with each host", "[sim]") {
  CHECK(undirected(pairs_of({{"a", "Full", 2, 2}})) == "as0-as1 as0-aw0 as0-aw1 as1-aw0 as1-aw1");
}

TEST_CASE("between zones each host is checked with a server of another zone, each two zones with one pair", "[sim]") {
  // b's workers send to a's store, a's to c's, and c's store to a's; b's first worker to c's store for the zones.
  CHECK(undirected(pairs_of({{"a", "Floyd", 1, 1}, {"b", "Floyd", 0, 2}, {"c", "Full", 1, 0}})) ==
        "as0-aw0 as0-bw0 as0-bw1 as0-cs0 aw0-cs0 bw0-cs0");
  CHECK(undirected(pairs_of({{"a", "Floyd", 0, 2}, {"b", "Floyd", 1, 0}})) == "aw0-bs0 aw1-bs0");
}

TEST_CASE("zones of workers alone have nothing to say to each other", "[sim]") {
  CHECK(undirected(pairs_of({{"a", "Floyd", 0, 2}, {"b", "Floyd", 0, 2}, {"c", "Floyd", 1, 0}})) ==
        "aw0-cs0 aw1-cs0 bw0-cs0 bw1-cs0");
}

TEST_CASE("the number of pairs grows with the hosts, and with the square of the zones alone", "[sim]") {
  for (const int workers : {10, 100, 1000}) {
    const std::vector<RoutedZone> zones{{"a", "Floyd", 2, workers},
                                        {"b", "Cluster", 2, workers},
                                        {"c", "Vivaldi", 2, 0},
                                        {"d", "Floyd", 0, workers},
                                        {"e", "Floyd", 2, workers}};
    const std::size_t hosts = 8 + 4 * static_cast<std::size_t>(workers);
    const auto pairs = pairs_of(zones);
    // Both ways: of each host one of its zone and one of another; of each server one more; of each two zones one.
    CHECK(pairs.size() <= 4 * hosts + 2 * 8 + 2 * 5 * 4);
    CHECK(std::set<HostPair>(pairs.begin(), pairs.end()).size() >= 2 * hosts - 2);  // each with somebody
  }
}

TEST_CASE("a scenario with all routes is not refused", "[sim]") {
  CHECK(refusal(full_zone(route("a", "b") + route("a", "c") + route("b", "c"))).empty());
  CHECK(refusal(two_zones("")).empty());
}

TEST_CASE("a scenario whose zone of full routing lacks a route to one of its servers is refused", "[sim]") {
  const std::string lacking = refusal(full_zone(route("a", "b") + route("a", "c")));
  CHECK_THAT(lacking, Contains("scenario.xml:7: no route from host \"b\" (zone \"w\") to host \"c\" (zone \"w\")"));
  const std::string one_way =
      refusal(full_zone(route("a", "b") + route("a", "c") + route("b", "c", "symmetrical=\"NO\"")));
  CHECK_THAT(one_way, Contains("scenario.xml:8: no route from host \"c\" (zone \"w\") to host \"b\" (zone \"w\")"));
}

TEST_CASE("a scenario whose zones, or one of whose hosts, have no way out is refused", "[sim]") {
  const std::string apart = refusal(
      two_zones("<zoneRoute src=\"a\" dst=\"b\" gw_src=\"ra\" gw_dst=\"rb\"><link_ctn id=\"wan\"/></zoneRoute>"));
  CHECK_THAT(apart, Contains("scenario.xml:5: no route from host \"a0\" (zone \"a\") to host \"b0\" (zone \"b\")"));
  const std::string alone = refusal(two_zones("<route src=\"b1\" dst=\"rb\"><link_ctn id=\"lb\"/></route>"));
  CHECK_THAT(alone, Contains("no route from host \"a0\" (zone \"a\") to host \"b1\" (zone \"b\")"));
}

}  // namespace dipaco::testing
