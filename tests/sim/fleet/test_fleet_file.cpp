#include <catch2/catch.hpp>
#include <string>

#include "backends/sim/fleet/fleet_file.hpp"
#include "core/base/error.hpp"

namespace dipaco::testing {
namespace {

FleetFile fleet_of(const std::string& text) { return parse_fleet_text(text, "f.cfg"); }

std::string refusal(const std::string& text) {
  try {
    fleet_of(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("what [fleet] says of all sites holds where a site does not say it itself", "[sim]") {
  const FleetFile file = fleet_of(
      "# a comment\n[fleet]\nrun=r.cfg\nadapter=10Gbps\njitter=0.1\n[site a]\nmachines=1 x 8 FAST\n"
      "[site b]\nmachines=2 x 8 FAST\nadapter=40Gbps\n");
  CHECK(file.line == 2);
  CHECK(file.whole.at("run").text == "r.cfg");
  CHECK(file.whole.at("run").line == 3);
  REQUIRE(file.sites.size() == 2);
  CHECK(file.sites[0].name == "a");
  CHECK(file.sites[0].line == 6);
  CHECK(file.sites[0].said.at("adapter").text == "10Gbps");
  CHECK(file.sites[0].said.at("adapter").line == 4);
  CHECK(file.sites[1].said.at("adapter").text == "40Gbps");
  CHECK(file.sites[1].said.at("adapter").line == 10);
  CHECK(file.sites[1].said.at("jitter").text == "0.1");
  CHECK_FALSE(file.sites[0].said.contains("run"));
}

TEST_CASE("a site that says something in another way than [fleet] is not said both", "[sim]") {
  const FleetFile file = fleet_of(
      "[fleet]\nmfu=0.4\nmtbf=6h\nmttr=5min\n[site a]\nstep_time=1s\n[site b]\nfailures=6h\nrepair=1h\n[site c]\n"
      "mfu=0.5\n");
  CHECK_FALSE(file.sites[0].said.contains("mfu"));
  CHECK(file.sites[0].said.contains("mtbf"));
  CHECK(file.sites[1].said.contains("mfu"));
  CHECK_FALSE(file.sites[1].said.contains("mtbf"));
  CHECK_FALSE(file.sites[1].said.contains("mttr"));
  CHECK(file.sites[2].said.at("mfu").text == "0.5");
}

TEST_CASE("what [fleet] says of spot machines and of failures holds for sites that have them", "[sim]") {
  const FleetFile file = fleet_of(
      "[fleet]\nnotice=30s\nspot_price=1 USD/h\npreemption_offset=drawn\nmttr=1h\n[site a]\n[site b]\n"
      "preemption=t.csv\n[site c]\nmtbf=6h\n");
  CHECK(file.sites[0].said.empty());
  CHECK(file.sites[1].said.size() == 4);  // all but mttr
  CHECK_FALSE(file.sites[1].said.contains("mttr"));
  CHECK(file.sites[2].said.size() == 3);  // mtbf with mttr and notice
  CHECK(file.sites[2].said.contains("notice"));
}

TEST_CASE("a pair of sites is meant in either order", "[sim]") {
  const FleetFile file = fleet_of(
      "[site a]\n[site b]\n[site c]\n[links]\ndefault=1Gbps\nc-a=2Gbps\nb=3Gbps\n[round_trips]\nb-a=4ms\na-c=5ms\n");
  REQUIRE(file.links.size() == 3);
  CHECK(file.links[1].of == "a-c");
  CHECK(file.links[1].value.text == "2Gbps");
  CHECK(file.links[2].of == "b");
  REQUIRE(file.round_trips.size() == 2);
  CHECK(file.round_trips[0].of == "a-b");
  CHECK(file.round_trips[1].of == "a-c");
}

TEST_CASE("what cannot be in a fleet file is refused, with its line and what to write", "[sim]") {
  const std::string two = "[site a]\n[site b]\n";
  CHECK(refusal("") == "f.cfg: no site; write [site NAME], and below it region= and machines=");
  CHECK(refusal("[flet]\n") == "f.cfg:1: unknown section [flet]; did you mean \"fleet\"?");
  CHECK(refusal("[sites a]\n") == "f.cfg:1: unknown section [sites a]; did you mean \"site\"?");
  CHECK(refusal("[machines]\n") ==
        "f.cfg:1: unknown section [machines]; the sections are [fleet], [site NAME], [links] and [round_trips]");
  for (const std::string name : {"", " new-york", " a b", " default"}) {
    CHECK_THAT(refusal("[site" + name + "]\n"),
               Catch::Matchers::StartsWith("f.cfg:1: ") &&
                   Catch::Matchers::Contains("is no name of a site; write [site NAME]"));
  }
  CHECK(refusal(two + "[site a]\n") ==
        "f.cfg:3: the site \"a\" is there twice, first at f.cfg:1; write both in one section");
  CHECK(refusal(two + "machnes=2 x 8 H100\n") ==
        "f.cfg:3: unknown key \"machnes\" in [site b]; did you mean \"machines\"?");
  CHECK(refusal(two + "run=r.cfg\n") == "f.cfg:3: unknown key \"run\" in [site b]; it is a key of [fleet]");
  CHECK(refusal(two + "thermometer=1\n") ==
        "f.cfg:3: unknown key \"thermometer\" in [site b]; docs/fleet.md has all keys");
  CHECK(refusal("[fleet]\ncordinator=a\n" + two) ==
        "f.cfg:2: unknown key \"cordinator\" in [fleet]; did you mean \"coordinator\"?");
  CHECK(refusal(two + "mfu=0.1\nmfu=0.2\n") ==
        "f.cfg:4: \"mfu\" is twice in [site b], first at f.cfg:3; remove one of them");
  CHECK(refusal(two + "mfu=\n") == "f.cfg:3: \"mfu\" has no value; write one, or take the line out");
  CHECK_THAT(refusal(two + "mfu\n"), Catch::Matchers::StartsWith("f.cfg:3: \"mfu\" has no value; write key=value"));
  CHECK_THAT(refusal("mfu=1\n"), Catch::Matchers::StartsWith("f.cfg:1: \"mfu\" stands before the first section"));
  CHECK(refusal(two + "[links]\na-d=1Gbps\n") ==
        "f.cfg:4: \"a-d\" is neither default nor a site nor two sites, as in A-B; did you mean \"a-b\"?");
  CHECK(refusal(two + "[round_trips]\na=1ms\n") == "f.cfg:4: \"a\" is no two sites, as in A-B; did you mean \"a-b\"?");
  CHECK(refusal(two + "[links]\na-b=1Gbps\nb-a=1Gbps\n") ==
        "f.cfg:5: \"a-b\" is there twice, first at f.cfg:4; remove one of them");
}

TEST_CASE("a fleet file that is not there is refused", "[sim]") {
  CHECK_THROWS_WITH(read_fleet_file("/nowhere/f.cfg"),
                    "/nowhere/f.cfg: there is no such fleet file; name one, such as scenarios/fleets/wan_4dc.cfg");
}

}  // namespace dipaco::testing
