#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backends/sim/fleet/fleet_plan.hpp"
#include "tests/sim/fleet/made_up_tables.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

const PlannedValue& prop_of(const PlannedFleet& fleet, std::size_t site, const std::string& name) {
  const PlannedValue* const value = fleet.sites.at(site).prop(name);
  INFO(name);
  REQUIRE(value != nullptr);
  return *value;
}

/// What replaces a piece of the fleet that is in order, and what is then said of it.
struct RefusedFleet {
  std::string piece;
  std::string instead;
  std::string says;
};

}  // namespace

TEST_CASE("figures that a fleet file leaves out are those of the tables, with their sources", "[sim]") {
  const PlannedFleet fleet = planned(two_site_fleet());
  REQUIRE(fleet.sites.size() == 2);
  CHECK(fleet.sites[0].machines == 2);
  CHECK(fleet.sites[0].speed.value == "800Tf");  // 8 x 100
  CHECK(fleet.sites[1].speed.value == "100Tf");  // 2 x 50
  CHECK(fleet.sites[0].speed.source == "8 x FAST of 100 TFLOP/s (dense, bf16) and 80 GiB: prices/devices.csv, a maker");
  CHECK(prop_of(fleet, 0, "workers").value == "x-[0-1]");
  CHECK(prop_of(fleet, 0, "store").value == "x-files");
  CHECK(prop_of(fleet, 0, "mfu").value == "0.4");  // the median of 0.3, 0.4 and 0.5
  CHECK(prop_of(fleet, 0, "mfu").source == "prices/mfu.csv: median of 3 from 0.3 to 0.5, a page");
  CHECK(prop_of(fleet, 0, "wattage_per_state").value == "480:3200");  // 8 x 400, and 15 % of that
  CHECK(prop_of(fleet, 0, "price").value == "24 USD/h");              // 8 x 3
  CHECK(prop_of(fleet, 0, "price").source == "8 x 3: prices/machines.csv, FAST in aws:one, 2026-01-01, a list");
  CHECK(prop_of(fleet, 1, "price").value == "0.6667 USD/h");  // 2 x 0.33333
  CHECK(fleet.sites[0].prop("spot_price") == nullptr);
  CHECK(fleet.sites[0].prop("notice") == nullptr);
  REQUIRE(fleet.root.size() == 2);
  CHECK(fleet.root[0].is.value == DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg");
  CHECK(fleet.root[1].is.value == "x-files");
}

TEST_CASE("what a fleet file says comes before the tables, and its line is the source", "[sim]") {
  const PlannedFleet fleet = planned(two_site_fleet(
      "peak=60Tf\nprice=1 USD/h\nwattage_per_state=1:2\nadapter=40 Gbps\ndisk=1GBps\nfiles_price=0.1 USD/h\n"
      "jitter=0.1\n"));  // lines 12 to 18
  CHECK(prop_of(fleet, 1, "mfu").value == "0.25");
  CHECK(prop_of(fleet, 1, "mfu").source == "f.cfg:11");
  CHECK(fleet.sites[1].speed.value == "120Tf");
  CHECK(fleet.sites[1].speed.source == "2 x 60Tf, f.cfg:12");
  CHECK(prop_of(fleet, 1, "price").value == "1 USD/h");
  CHECK(prop_of(fleet, 1, "price").source == "f.cfg:13");
  CHECK(prop_of(fleet, 1, "wattage_per_state").value == "1:2");
  CHECK(fleet.sites[1].adapter.value == "40Gbps");
  CHECK(prop_of(fleet, 1, "disk").value == "1GBps");
  CHECK(prop_of(fleet, 1, "intake").value == "1.2GBps");
  CHECK(prop_of(fleet, 1, "jitter").value == "0.1");
  REQUIRE(fleet.sites[1].files_props.size() == 2);
  CHECK(fleet.sites[1].files_props[1].is.value == "0.1 USD/h");
  CHECK(fleet.sites[0].files_props[1].is.value == "0.40 USD/h");
  CHECK(fleet.sites[0].adapter.value == "25Gbps");
}

TEST_CASE("a device that no table has is described in the fleet file", "[sim]") {
  const PlannedFleet fleet = planned(
      "[fleet]\nrun=runs/tiny.cfg\n[site x]\nmachines=1 x 4 OWN\npeak=0.08Pf\nstep_time=2s\nprice=0 USD/h\n"
      "wattage_per_state=100:900\n");
  CHECK(fleet.sites[0].speed.value == "320Tf");
  CHECK(fleet.sites[0].prop("mfu") == nullptr);
  CHECK(prop_of(fleet, 0, "step_time").value == "2s");
  CHECK(prop_of(fleet, 0, "workers").value == "x-0");
  CHECK(fleet.sites[0].prop("egress") == nullptr);  // nowhere else is anybody
}

TEST_CASE("the memory of a site's devices is the table's, or what the file says of one", "[sim]") {
  CHECK(prop_of(planned(two_site_fleet()), 0, "memory").value == "8 x 80GiB");
  CHECK(prop_of(planned(two_site_fleet()), 0, "memory").source == "prices/devices.csv, a maker");
  CHECK(prop_of(planned(two_site_fleet("memory=96GB\n")), 1, "memory").value == "2 x 96GB");
  const PlannedFleet own = planned(
      "[fleet]\nrun=runs/tiny.cfg\n[site x]\nmachines=1 x 4 OWN\npeak=0.08Pf\nstep_time=2s\nprice=0 USD/h\n"
      "wattage_per_state=100:900\n");
  CHECK(own.sites[0].prop("memory") == nullptr);
}

TEST_CASE("disk=none and intake=none leave out what they take", "[sim]") {
  const PlannedFleet fleet = planned(two_site_fleet("disk=none\nintake=none\n"));
  CHECK(fleet.sites[1].prop("disk") == nullptr);
  CHECK(fleet.sites[1].prop("intake") == nullptr);
  CHECK(prop_of(fleet, 0, "disk").value == "2GBps");
}

TEST_CASE("spot machines have the list's spot price, their cloud's notice, and a trace that fits them", "[sim]") {
  const PlannedFleet fleet = planned(two_site_fleet("preemption=traces/aws-p3_32.csv\n"));
  CHECK(prop_of(fleet, 1, "spot_price").value == "0.2 USD/h");  // 2 x 0.1
  CHECK(prop_of(fleet, 1, "notice").value == "30s");            // GCP's
  CHECK(prop_of(fleet, 1, "preemption").value == DIPACO_SOURCE_DIR "/scenarios/traces/aws-p3_32.csv");
  CHECK(prop_of(fleet, 1, "preemption_machine_scale").value == "0.09375");  // 3 of 32
  CHECK(prop_of(fleet, 1, "preemption_machine_scale").source == "the trace has up to 32 machines");
  const PlannedFleet said =
      planned(two_site_fleet("preemption=traces/aws-p3_32.csv\npreemption_machine_scale=0.5\nnotice=none\n"));
  CHECK(prop_of(said, 1, "preemption_machine_scale").value == "0.5");
  CHECK(said.sites[1].prop("notice") == nullptr);
  const PlannedFleet fits = planned(two_site_fleet("reclaims=exponential 6h\ngiven_back=1h\nspot_price=9 USD/h\n"));
  CHECK(fits.sites[1].prop("preemption_machine_scale") == nullptr);
  CHECK(prop_of(fits, 1, "spot_price").value == "9 USD/h");
  CHECK(prop_of(fits, 1, "notice").value == "30s");
}

TEST_CASE("prices=off leaves out prices and egress, and keeps watts", "[sim]") {
  std::string text = two_site_fleet();
  const PlannedFleet fleet = planned(text.insert(text.find("[site x]"), "prices=off\n"));
  for (const PlannedSite& site : fleet.sites) {
    for (const char* const name : {"price", "spot_price", "egress"}) CHECK(site.prop(name) == nullptr);
    CHECK(site.prop("wattage_per_state") != nullptr);
    REQUIRE(site.files_props.size() == 1);
  }
}

TEST_CASE("a fleet has at most 100,000 machines", "[sim]") {
  std::string text = "[fleet]\nrun=runs/tiny.cfg\nprices=off\nmachines=10000 x 8 FAST\n[links]\ndefault=1Gbps\n";
  for (int site = 0; site < 10; ++site) text += "[site s" + std::to_string(site) + "]\n";
  CHECK_THAT(refused_fleet(text), Contains("site \"s0\" has no region"));  // which is asked for later
  CHECK(refused_fleet(text + "[site t]\nmachines=1 x 8 FAST\n") ==
        "/fleets/f.cfg:1: 100001 machines are too many; write at most 100000 in all");
}

TEST_CASE("the coordinator is at the site that the file names, or the first", "[sim]") {
  std::string text = two_site_fleet();
  CHECK(planned(text).root[1].is.value == "x-files");
  CHECK(planned(text.insert(text.find("[site x]"), "coordinator=y\n")).root[1].is.value == "y-files");
}

TEST_CASE("a fleet that cannot be is refused with the line of its file and what to write", "[sim]") {
  const std::vector<RefusedFleet> all{
      {"run=runs/tiny.cfg\n", "", "1: nothing says what to learn; write run=runs/tiny.cfg, or another run file, in"},
      {"runs/tiny.cfg", "runs/tny.cfg",
       "2: run=runs/tny.cfg names no file: neither /fleets/runs/tny.cfg nor " DIPACO_SOURCE_DIR
       "/scenarios/runs/tny.cfg is there"},
      {"[site x]", "coordinator=z\n[site x]", "3: coordinator=z is no site; write x or y"},
      {"[site x]", "prices=yes\n[site x]", "3: prices=yes is not allowed; write on or off"},
      {"[site x]", "prices=off\n[site x]\nprice=1 USD/h", "5: price=1 USD/h stands beside prices=off"},
      {"[site x]", "tcp=slow\n[site x]", "3: tcp=\"slow\" is neither tuned nor untuned"},
      {"machines=2 x 8 FAST\n", "", "3: site \"x\" has no machines; write machines=2 x 8 H100"},
      {"2 x 8 FAST", "16 FAST", "5: machines=16 FAST is no number of machines; write machines=2 x 8 H100"},
      {"2 x 8 FAST", "10001 x 8 FAST", "5: machines=10001 x 8 FAST is no number of machines"},
      {"2 x 8 FAST", "2 x 1001 FAST", "5: machines=2 x 1001 FAST is no number of machines"},
      {"2 x 8 FAST", "0 x 8 FAST", "5: machines=0 x 8 FAST is no number of machines"},
      {"2 x 8 FAST", "2 x 8 FASST",
       "5: prices/devices.csv has no device \"FASST\"; did you mean \"FAST\"? It has FAST or SLOW. "
       "For another one write peak=312Tf, and its mfu=, wattage_per_state= and price="},
      {"2 x 8 FAST", "2 x 8 FAST\npeak=100", "6: peak=100 is no speed of one device with its unit"},
      {"mfu=0.25\n", "", "10: prices/mfu.csv has no mfu of the device \"SLOW\"; write mfu=0.4, the share of its peak"},
      {"mfu=0.25", "mfu=0.25\nstep_time=2s",
       "12: mfu=0.25 and step_time=2s both say how fast a machine trains; write one of them"},
      {"[site x]", "mfu=0.5\nstep_time=2s\n[site x]", "4: mfu=0.5 and step_time=2s both say"},
      {"[site x]", "mtbf=6h\nmttr=1h\nfailures=exponential 6h\nrepair=1h\n[site x]",
       "5: host \"x-0\" has failures beside mtbf"},
      {"mfu=0.25", "mfu=25", "11: mfu=\"25\" is no share above 0 and up to 1, such as \"0.45\""},
      {"region=aws:one", "price_region=aws:onne\nregion=aws:one",
       "4: prices/machines.csv has no price of \"FAST\" in \"aws:onne\"; did you mean \"aws:one\"? It has that device "
       "in aws:one "
       "or aws:two. Write price_region=, or price=2.50 USD/h for a machine, or prices=off in [fleet]"},
      {"region=aws:one", "price_region=gcp:three\nregion=aws:one",
       "4: prices/machines.csv has no price of \"FAST\" in \"gcp:three\". It has that device in aws:one or aws:two."},
      {"region=aws:one\n", "", "3: site \"x\" has no region; write region=gcp:us-east4, or price=, or prices=off in"},
      {"region=aws:one", "region=aws:two\npreemption=traces/aws-p3_32.csv",
       "6: prices/machines.csv has no spot price of \"FAST\" in \"aws:two\"; write spot_price=. Where it has both, a "
       "spot "
       "machine costs 47 % of one on demand, here 15.04 USD/h"},
      {"mfu=0.25", "mfu=0.25\nspot_price=1 USD/h",
       "12: the prop \"spot_price\" in \"y\" is of no machine that is taken away"},
      {"mfu=0.25", "mfu=0.25\nprice=1", "12: price=\"1\" is no price of 0 or more with its unit"},
      {"mfu=0.25", "mfu=0.25\nfiles_price=1", "12: price=\"1\" is no price of 0 or more with its unit"},
      {"mfu=0.25", "mfu=0.25\npreemption=spot.csv",
       "12: preemption=spot.csv names no file: neither /fleets/spot.csv nor"},
      {"mfu=0.25", "mfu=0.25\nreclaims=often\ngiven_back=1h", "12: reclaims=\"often\" is no law of times"},
      {"mfu=0.25", "mfu=0.25\nreclaims=6h", "12: zone \"y\" has reclaims alone"},
      {"mfu=0.25", "mfu=0.25\nnotice=30s", "8: zone \"y\" has a notice, but nothing takes its machines away"},
      {"mfu=0.25", "mfu=0.25\nadapter=25", "12: adapter=25 is no rate with a unit, such as 25Gbps"},
      {"mfu=0.25", "mfu=0.25\ndisk=2", "12: disk=\"2\" is no rate with a unit, such as \"2GBps\""},
      {"mfu=0.25", "mfu=0.25\nmtbf=6h", "8: host \"y-0\" has mtbf without mttr"},
  };
  for (const RefusedFleet& one : all) {
    std::string text = two_site_fleet();
    const auto at = text.find(one.piece);
    REQUIRE(at != std::string::npos);
    INFO(one.instead);
    CHECK_THAT(refused_fleet(text.replace(at, one.piece.size(), one.instead)), Contains("/fleets/f.cfg:" + one.says));
  }
}

}  // namespace dipaco::testing
