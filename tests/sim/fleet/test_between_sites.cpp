#include <catch2/catch.hpp>
#include <string>

#include "backends/sim/fleet/between_sites.hpp"
#include "tests/sim/fleet/made_up_tables.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

/// Three sites, of which no figure but these is missing; `more` is of links and round trips.
PlannedFleet three_sites(const std::string& more) {
  std::string text = "[fleet]\nrun=runs/tiny.cfg\nmachines=1 x 8 FAST\nprices=off\n";
  for (const char* const site : {"a", "b", "c"}) text += "[site " + std::string(site) + "]\n";  // lines 5 to 7
  return planned(text + more);
}

std::string bandwidths(const std::string& links) {
  std::string all;
  const PlannedFleet fleet = three_sites("[round_trips]\na-b=1ms\na-c=2ms\nb-c=3ms\n[links]\n" + links);
  for (const PlannedLink& link : fleet.links) all += link.a + link.b + " " + link.bandwidth.value + " ";
  return all;
}

}  // namespace

TEST_CASE("a pair's own bandwidth comes before that of its sites, and theirs before the default", "[sim]") {
  CHECK(bandwidths("default=1Gbps\n") == "ab 1Gbps ac 1Gbps bc 1Gbps ");
  CHECK(bandwidths("default=1Gbps\nb=2Gbps\n") == "ab 2Gbps ac 1Gbps bc 2Gbps ");
  CHECK(bandwidths("default=1Gbps\nb-c=7Gbps\nc=3Gbps\n") == "ab 1Gbps ac 3Gbps bc 7Gbps ");
  // Of two sites the thinner one counts, in whatever unit.
  CHECK(bandwidths("a=100MBps\nb=700Mbps\nc=0.9Gbps\n") == "ab 700Mbps ac 100MBps bc 700Mbps ");
  CHECK(bandwidths("a-b=1 Gbps\na-c=2Gbps\nb-c=3Gbps\n") == "ab 1Gbps ac 2Gbps bc 3Gbps ");
}

TEST_CASE("a link's latency is half of a round trip, of the file or of the table", "[sim]") {
  const PlannedFleet said = three_sites("[links]\ndefault=1Gbps\n[round_trips]\na-b=1ms\nc-a=2.5ms\nb-c=0s\n");
  REQUIRE(said.links.size() == 3);
  CHECK(said.links[0].latency.value == "0.5ms");
  CHECK(said.links[0].latency.source == "half of a round trip, f.cfg:11");
  CHECK(said.links[1].latency.value == "1.25ms");
  CHECK(said.links[2].latency.value == "0ms");
  const PlannedFleet listed = planned(two_site_fleet());
  REQUIRE(listed.links.size() == 1);
  CHECK(listed.links[0].latency.value == "45.3ms");  // 90.6 / 2
  CHECK(listed.links[0].latency.source ==
        "half of a round trip of 90.6 ms: network/round_trips.csv, aws:one to gcp:three, 2025-02");
  CHECK(listed.links[0].bandwidth.source == "f.cfg:7");
}

TEST_CASE("egress is what each other site's region costs, as far as no site says it itself", "[sim]") {
  const PlannedFleet listed = planned(two_site_fleet());
  CHECK(listed.sites[0].prop("egress")->value == "y 0.09 USD/GB");
  CHECK(listed.sites[0].prop("egress")->source == "prices/egress.csv from aws:one, 2025-01-01");
  CHECK(listed.sites[1].prop("egress")->value == "x 0.12 USD/GB");
  const PlannedFleet said = planned(two_site_fleet("egress=0.5 USD/GB\n"));
  CHECK(said.sites[1].prop("egress")->value == "0.5 USD/GB");
  CHECK(said.sites[0].prop("egress")->value == "y 0.09 USD/GB");
  const PlannedFleet together = planned(two_site_fleet("egress_region=aws:one\n"));
  CHECK(together.sites[0].prop("egress")->value == "y 0 USD/GB");
  CHECK(together.sites[0].prop("egress")->source == "Choice: nothing within a region");
  // Bytes may leave from elsewhere than where machines are priced.
  const PlannedFleet elsewhere = planned(two_site_fleet("egress_region=aws:two\n"));
  CHECK(elsewhere.sites[0].prop("egress")->value == "y 0.02 USD/GB");
  CHECK(elsewhere.sites[1].prop("egress")->value == "x 0.03 USD/GB");
}

TEST_CASE("a link or an egress of which nothing is known is refused, with what to write", "[sim]") {
  const auto without = [](std::string text, const std::string& piece, const std::string& instead) {
    return refused_fleet(text.replace(text.find(piece), piece.size(), instead));
  };
  CHECK(
      without(two_site_fleet(), "default=1Gbps\n", "") ==
      "/fleets/f.cfg:3: nothing says what goes between \"x\" and \"y\"; write default=1Gbps in [links], or x-y=1Gbps");
  CHECK(without(two_site_fleet(), "default=1Gbps", "x-y=fast") ==
        "/fleets/f.cfg:7: x-y=fast is no rate with a unit, such as 300Mbps");
  CHECK(without(two_site_fleet(), "default=1Gbps", "default=fast\nx-y=1Gbps") ==
        "/fleets/f.cfg:7: default=fast is no rate with a unit, such as 300Mbps");
  CHECK(without(two_site_fleet(), "default=1Gbps\n", "default=1Gbps\n[round_trips]\nx-y=62\n") ==
        "/fleets/f.cfg:9: x-y=62 is no time with a unit, such as 62ms");
  // Without prices round trips are the first to ask for a region.
  CHECK(without(two_site_fleet(), "run=runs/tiny.cfg\n[site x]\nregion=aws:one",
                "run=runs/tiny.cfg\nprices=off\n[site x]") ==
        "/fleets/f.cfg:4: site \"x\" has no region; write region=gcp:us-east4, or x-y=62ms in [round_trips]");
  CHECK(without(two_site_fleet(), "run=runs/tiny.cfg\n[site x]\nregion=aws:one",
                "run=runs/tiny.cfg\nprices=off\n[site x]\nregion=aws:onne") ==
        "/fleets/f.cfg:10: network/round_trips.csv has no round trip between \"aws:onne\" and \"gcp:three\"; for "
        "\"aws:onne\" did you mean \"aws:one\"? Write another region=, or x-y=62ms in [round_trips]");
  CHECK_THAT(without(two_site_fleet(), "machines=2 x 8 FAST", "machines=2 x 8 FAST\negress_region=aws:two"),
             StartsWith("/fleets/f.cfg:6: prices/egress.csv has no price from \"aws:two\" to \"gcp:three\"") &&
                 EndsWith(". Write egress_region=, or egress=0.09 USD/GB, or prices=off in [fleet]"));
  CHECK_THAT(refused_fleet(two_site_fleet("egress=zz 0.1 USD/GB\n")),
             StartsWith("/fleets/f.cfg:12: egress=\"zz 0.1 USD/GB\" names the site \"zz\", which is not there"));
}

}  // namespace dipaco::testing
