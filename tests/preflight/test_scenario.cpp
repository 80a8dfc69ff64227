#include <catch2/catch.hpp>

#include "core/preflight/names.hpp"
#include "core/preflight/scenario.hpp"
#include "tests/preflight/made_up_measures.hpp"

namespace dipaco::testing {

using Catch::Contains;

TEST_CASE("a scenario has a host for each process, with its roles and its step time", "[preflight]") {
  const std::string text = measured_scenario(two_sites(), "runs/tiny.cfg");
  CHECK_THAT(text, Contains("<prop id=\"run\" value=\"runs/tiny.cfg\"/>"));
  CHECK_THAT(text, Contains("<host id=\"east-0\" speed=\"100Tf\">\n"
                            "        <prop id=\"role\" value=\"coordinator, store, executor\"/>\n"
                            "      </host>"));
  CHECK_THAT(text, Contains("<prop id=\"role\" value=\"worker\"/>\n"
                            "        <prop id=\"step_time\" value=\"0.05s\"/>\n"));
  // Workers at a site without a store keep their states elsewhere, as in the run.
  CHECK_THAT(text, Contains("<zone id=\"west\" routing=\"Full\">\n      <prop id=\"store\" value=\"none\"/>"));
  CHECK_THAT(text, !Contains("<zone id=\"east\" routing=\"Full\">\n      <prop id=\"store\""));
}

TEST_CASE("links have half of the round trip and the bandwidth of their direction", "[preflight]") {
  const std::string text = measured_scenario(two_sites(), "");
  CHECK_THAT(text, !Contains("id=\"run\""));
  CHECK_THAT(text, Contains("<link id=\"east-0:east-1\" bandwidth=\"10000000000bps\" latency=\"50.0us\"/>"));
  CHECK_THAT(text, Contains("<link id=\"east:west\" bandwidth=\"200000000bps\" latency=\"10000.0us\"/>"));
  CHECK_THAT(text, Contains("<link id=\"west:east\" bandwidth=\"100000000bps\" latency=\"10000.0us\"/>"));
  // Of a host, the most that it sends to any one, or gets from any one.
  CHECK_THAT(text, Contains("<link id=\"west-0:out\" bandwidth=\"100000000bps\" latency=\"0.0us\"/>"));
  CHECK_THAT(text, Contains("<link id=\"west-0:in\" bandwidth=\"200000000bps\" latency=\"0.0us\"/>"));
}

TEST_CASE("a site's own line has what was measured with all others at once", "[preflight]") {
  const std::string text = measured_scenario(three_sites(), "");
  CHECK_THAT(text, Contains("<link id=\"a:out\" bandwidth=\"80000000bps\"") &&
                       Contains("<link id=\"a:in\" bandwidth=\"120000000bps\"") &&
                       Contains("<link id=\"a-0:in\" bandwidth=\"120000000bps\"") &&
                       Contains("<link id=\"b:out\" bandwidth=\"160000000bps\""));
  CHECK_THAT(text, Contains("gw_src=\"a-gateway\" gw_dst=\"b-gateway\" symmetrical=\"NO\"><link_ctn id=\"a:out\"/>"
                            "<link_ctn id=\"a:b\"/><link_ctn id=\"b:in\"/></zoneRoute>"));
}

TEST_CASE("processes and sites get names that a scenario can use, each once", "[preflight]") {
  const auto at = [](const std::string& site) {
    return Attend{.roles = {Role::worker}, .site = site, .machine = "m", .address = "a", .step_time = 0};
  };
  std::vector<std::string> names;
  for (const Attendee& who : named({at("x"), at("x"), at("a b,[c]"), at("x-0"), at("world"), at("")})) {
    names.push_back(who.site + "/" + who.name);
  }
  CHECK(names ==
        std::vector<std::string>{"x/x-1", "x/x-2", "a_b__c_/a_b__c_-0", "x-0/x-0-0", "world_/world_-0", "site/site-0"});
}

}  // namespace dipaco::testing
