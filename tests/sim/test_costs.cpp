// What a simulated run costs, through dipaco-sim: dollars against the arithmetic.

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

/// Two sites and one link: x has a worker a, which is also its store, y a spot worker b and a store c.
/// @param of_root, of_x, of_y, of_a  props
std::string two_sites(const std::string& of_root, const std::string& of_x = "", const std::string& of_y = "",
                      const std::string& of_a = "") {
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">\n" +
         of_root + "\n<zone id=\"x\" routing=\"Full\"><prop id=\"workers\" value=\"a\"/>\n" + of_x +
         "\n<host id=\"a\" speed=\"1Tf\"><prop id=\"step_time\" value=\"1s\"/>\n" + of_a + R"(
</host></zone>
<zone id="y" routing="Full"><prop id="workers" value="b"/><prop id="store" value="c"/>
<prop id="preemption" value="spot.csv"/><prop id="step_time" value="1s"/>
)" + of_y +
         R"(
<host id="b" speed="1Tf"/><host id="c" speed="1Tf"/>
<link id="bc" bandwidth="1Gbps" latency="1ms"/><route src="b" dst="c"><link_ctn id="bc"/></route></zone>
<link id="l" bandwidth="1Gbps" latency="1ms"/>
<zoneRoute src="x" dst="y" gw_src="a" gw_dst="c"><link_ctn id="l"/></zoneRoute></zone></platform>)";
}

std::string prop(const std::string& name, const std::string& value) {
  return "<prop id=\"" + name + "\" value=\"" + value + "\"/>";
}

/// dipaco-sim on a scenario, whose machine b is away from second 10 to second 16; its files.
struct Simulation {
  explicit Simulation(const std::string& scenario, const std::vector<std::string>& more = {}) {
    write_file(folder.path() / "s.xml", scenario);
    write_file(folder.path() / "spot.csv", std::string_view("time_s,available\n0,1\n10,0\n16,1\n"));
    std::vector<std::string> words{folder.path() / "s.xml", "--learn", "off", "--out", folder.path() / "out"};
    words.insert(words.end(), {"--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg"});
    words.insert(words.end(), more.begin(), more.end());
    outcome = run_built("dipaco-sim", words);
    if (outcome.status == 0) summary = nlohmann::json::parse(file("summary.json"));
  }
  std::string file(const std::string& name) const { return read_text(folder.path() / "out" / name); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder.path() / "out" / name); }
  double number(const char* key) const { return summary.at(key).get<double>(); }
  /// The cells of the row that begins so.
  std::vector<double> row(const std::string& name, const std::string& begins) const {
    const std::string text = file(name);
    const auto at = text.find("\n" + begins) + 1;
    REQUIRE(at > 0);
    std::vector<double> cells;
    for (const std::string& cell : split(text.substr(at, text.find('\n', at) - at), ',')) {
      cells.push_back(parse_number(cell).value_or(-1));
    }
    return cells;
  }

  TemporaryFolder folder;
  Outcome outcome;
  nlohmann::json summary;
};

/// What a scenario that is wrong says in its last line; "" where it is not wrong, or says it with another status.
std::string refused(const std::string& scenario) {
  const Simulation simulation(scenario);
  if (simulation.outcome.status != 2) return "";
  return simulation.outcome.error;
}

/// The cells of the row of a shipped table that begins so.
std::vector<std::string> shipped(const std::string& table, const std::string& begins) {
  const std::string text = read_text(DIPACO_SOURCE_DIR "/scenarios/prices/" + table);
  const auto at = text.find("\n" + begins + ",") + 1;
  INFO(begins);
  REQUIRE(at > 0);
  return split(text.substr(at, text.find('\n', at) - at), ',');
}

}  // namespace

TEST_CASE("dollars are hours and bytes times their prices, and a spot machine that is away costs nothing", "[sim]") {
  const Simulation run(two_sites(prop("price", "7.2 USD/h") + prop("egress", "0.09 USD/GB"),
                                 prop("egress", "1.5 USD/GiB"), prop("spot_price", "1.8 USD/h")));
  CAPTURE(run.outcome.error);
  REQUIRE(run.outcome.status == 0);
  const double end = run.number("simulated_s");
  REQUIRE(end > 16);
  // b is away for 6 s; a and c are billed all the time.
  CHECK(run.row("machines.csv", "b,y")[4] == 10 + (end - 16));
  CHECK(run.row("machines.csv", "a,x")[4] == end);
  const double machines = 7.2 * end / 3600 + 1.8 * (10 + (end - 16)) / 3600 + 7.2 * end / 3600;
  CHECK(run.number("machine_usd") == machines);
  const double there = run.row("links.csv", "sites,,x,y")[4];
  const double back = run.row("links.csv", "sites,,y,x")[4];
  CHECK(there + back == run.number("wan_bytes"));
  REQUIRE((there > 0 && back > 0 && there != back));
  const double egress = 1.5 * there / 1073741824 + 0.09 * back / 1e9;
  CHECK(run.number("egress_usd") == egress);
  CHECK(run.number("usd") == machines + egress);
  CHECK(run.row("egress.csv", "x,y")[5] == 1.5 * there / 1073741824);
  CHECK_FALSE(run.summary.contains("kwh"));
  CHECK_THAT(run.outcome.output, Contains("\n  cost        "));
}

TEST_CASE("a machine draws its idle watts, its busy watts in inner steps, and nothing while it is away", "[sim]") {
  // b is away for 6 s; c stands idle all the time, and a is busy while its worker computes.
  const std::string watts = prop("wattage_per_state", "36000:90000:360000") + prop("pue", "1.25");
  const Simulation run(two_sites(watts, prop("power_price", "0.5 USD/kWh")));
  CAPTURE(run.outcome.error);
  REQUIRE(run.outcome.status == 0);
  const double end = run.number("simulated_s");
  const auto a = run.row("machines.csv", "a,x");
  const auto b = run.row("machines.csv", "b,y");
  const auto c = run.row("machines.csv", "c,y");
  CHECK(c[5] == 0);
  CHECK(c[7] == 1.25 * (36000 * end / 3'600'000));
  CHECK(a[5] == Approx(run.number("worker_compute_s") + run.number("worker_lost_s") - b[5]));
  CHECK(a[7] == 1.25 * (36000 * (end - a[5]) / 3'600'000 + 360000 * a[5] / 3'600'000));
  CHECK(b[7] == Approx(1.25 * (36000 * (end - 6 - b[5]) + 360000 * b[5]) / 3'600'000));
  CHECK(run.number("kwh") == Approx(a[7] + b[7] + c[7]));
  CHECK(a[8] == 0.5 * a[7]);
  CHECK(run.number("energy_usd") == a[8]);  // y's machines have their power with them
  CHECK(run.number("usd") == a[8]);
  CHECK_FALSE(run.summary.contains("machine_usd"));
  CHECK_FALSE(run.has("egress.csv"));
}

TEST_CASE("a machine with mtbf is billed until the end, whether it is there or not", "[sim]") {
  std::string scenario = two_sites(prop("price", "7.2 USD/h"), "", prop("mtbf", "5s") + prop("mttr", "4s"));
  const std::string spot = prop("preemption", "spot.csv");
  scenario.erase(scenario.find(spot), spot.size());
  const Simulation run(scenario);
  CAPTURE(run.outcome.error);
  REQUIRE(run.outcome.status == 0);
  const auto b = run.row("machines.csv", "b,y");
  CHECK(b[3] < run.number("simulated_s") - 0.1);
  CHECK(b[4] == run.number("simulated_s"));
}

TEST_CASE("without prices nothing costs anything, and prices change nothing else", "[sim]") {
  const Simulation plain(two_sites(""));
  REQUIRE(plain.outcome.status == 0);
  CHECK_FALSE(plain.has("machines.csv"));
  CHECK_FALSE(plain.summary.contains("usd"));
  CHECK_THAT(plain.outcome.output, !Contains("cost"));
  const Simulation priced(two_sites(prop("price", "1 USD/h") + prop("wattage_per_state", "1:2")));
  REQUIRE(priced.outcome.status == 0);
  for (const char* key : {"simulated_s", "wan_bytes", "lan_bytes", "messages", "goodput"}) {
    CHECK(priced.summary[key] == plain.summary[key]);
  }
}

TEST_CASE("machines that are left out cost nothing", "[sim]") {
  const Simulation run(two_sites(prop("price", "1 USD/h"), "", prop("spot_price", "1 USD/h")), {"--without", "b"});
  CAPTURE(run.outcome.error);
  REQUIRE(run.outcome.status == 0);
  CHECK_THAT(run.file("machines.csv"), Contains("\na,x") && Contains("\nc,y") && !Contains("\nb,y"));
}

TEST_CASE("a price or watts that are wrong end dipaco-sim with status 2, the place and what to write", "[sim]") {
  const auto in_root = [](const std::string& name, const std::string& value) {
    return refused(two_sites(prop(name, value)));
  };
  for (const char* const price : {"2.5", "-1 USD/h", "cheap", "2.5 EUR/h", ""}) {
    CHECK_THAT(in_root("price", price), Contains("s.xml:4: price=\"" + std::string(price) + "\" is no price of 0 or") &&
                                            Contains("such as \"2.50 USD/h\""));
  }
  CHECK_THAT(in_root("spot_price", "1"), Contains("s.xml:4: spot_price=\"1\" is no price"));
  CHECK_THAT(in_root("power_price", "0.1 USD/h"), Contains("such as \"0.12 USD/kWh\""));
  CHECK_THAT(in_root("pue", "0.9"), Contains("s.xml:4: pue=\"0.9\" is no factor from 1"));
  for (const char* const egress :
       {"0.09", "-0.1 USD/GB", "much", "0.09 USD/TB", "y 0.09", "y -1 USD/GB", "0 USD/GB,"}) {
    CHECK_THAT(in_root("egress", egress), Contains("s.xml:4: egress=") && Contains("write \"0.09 USD/GB\" (10^9"));
  }
  CHECK_THAT(in_root("egress", ""), Contains("write it like \"0.09 USD/GB\""));
  CHECK_THAT(in_root("egress", "yy 0.1 USD/GB"), Contains("names the site \"yy\", which is not there; did you mean"));
  CHECK_THAT(in_root("egress", "y 1 USD/GB, y 2 USD/GB"), Contains("names the site \"y\" twice"));
  CHECK_THAT(in_root("egress", "1 USD/GB, 2 USD/GB"), Contains("two prices without a site"));
  CHECK_THAT(refused(two_sites("", prop("egress", "x 1 USD/GB"))),
             Contains("s.xml:6: egress=") && Contains("names the site itself"));
  for (const char* const watts : {"-1:5", "many", "5", "1:2:3:4", "1:-2", "1:x"}) {
    CHECK_THAT(in_root("wattage_per_state", watts), Contains("s.xml:4: wattage_per_state") && Contains("idle:busy"));
  }
  CHECK_THAT(in_root("wattage_per_state", "400:60"), Contains("draw less than an idle one"));
  CHECK_THAT(in_root("prize", "1 USD/h"), Contains("did you mean \"price\"?"));
}

TEST_CASE("watts are those of the state that the host is in", "[sim]") {
  std::string scenario =
      two_sites("", "", prop("wattage_per_state", "1:2"), prop("wattage_per_state", "10:20, 7200:7200"));
  const std::string speed = "<host id=\"a\" speed=\"1Tf\"";
  scenario.replace(scenario.find(speed), speed.size(), "<host id=\"a\" speed=\"2Tf,1Tf\" pstate=\"1\"");
  const Simulation run(scenario);
  CAPTURE(run.outcome.error);
  REQUIRE(run.outcome.status == 0);
  CHECK(run.row("machines.csv", "a,x")[7] == Approx(7200 * run.number("simulated_s") / 3'600'000));
  scenario.replace(scenario.find(", 7200:7200"), 11, "");
  CHECK_THAT(refused(scenario), Contains("s.xml:8: wattage_per_state=\"10:20\" has no watts of state 1"));
}

TEST_CASE("a sum that would leave a machine or a pair of sites out is refused, and so is a prop of nobody", "[sim]") {
  CHECK_THAT(refused(two_sites("", prop("price", "1 USD/h"))),
             Contains("s.xml:13: host \"b\" has no price, and others have one") && Contains("\"0 USD/h\""));
  CHECK_THAT(refused(two_sites("", "", prop("spot_price", "1 USD/h"), prop("price", "1 USD/h"))),
             Contains("host \"c\" has no price"));
  CHECK_THAT(refused(two_sites("", "", prop("wattage_per_state", "1:2"))),
             Contains("s.xml:7: host \"a\" has no watts"));
  CHECK_THAT(refused(two_sites("", prop("egress", "1 USD/GB"))),
             Contains("s.xml:10: site \"y\" has no egress price to site \"x\""));
  CHECK_THAT(refused(two_sites("", prop("spot_price", "1 USD/h"))),
             Contains("s.xml:6: the prop \"spot_price\" in \"x\" is of no machine that is taken away"));
  CHECK_THAT(refused(two_sites("", "", "", prop("spot_price", "1 USD/h"))), Contains("s.xml:8: the prop"));
  CHECK_THAT(refused(two_sites(prop("pue", "1.2"))), Contains("the prop \"pue\" in \"w\" is of no machine with watts"));
  CHECK_THAT(refused(two_sites("", "", "", prop("egress", "1 USD/GB"))),
             Contains("the prop \"egress\" belongs into a zone"));
}

TEST_CASE("the prices and watts of wan_4dc are those of the shipped tables", "[sim]") {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  REQUIRE(
      run_built("dipaco-sim", {DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml", "--learn", "off", "--out", out}).status ==
      0);
  const auto cells = [&](const std::string& file, const std::string& begins) {
    const std::string text = read_text(out / file);
    const auto at = text.find("\n" + begins) + 1;
    REQUIRE(at > 0);
    return split(text.substr(at, text.find('\n', at) - at), ',');
  };
  struct Site {
    const char* machine;
    int devices;
    const char* device;
    const char* region;
    const char* from;  ///< in egress.csv
  };
  const std::vector<Site> sites{{"washington", 2, "A100-80", "us-east4,GCP", "gcp:us-east4-a"},
                                {"frankfurt", 1, "H100", "europe-west4,GCP", "gcp:europe-west4-a"},
                                {"tokyo", 8, "L4", "asia-northeast3,GCP", "gcp:asia-northeast2-a"},
                                {"dallas", 8, "V100", "us-east-1,AWS", "aws:us-east-1"}};
  const std::string scenario = read_text(DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml");
  for (const Site& site : sites) {
    const double listed = *parse_number(shipped("machines.csv", std::string(site.device) + "," + site.region)[3]);
    const std::string hourly = format_number(std::round(1e4 * site.devices * listed) / 1e4);
    CHECK_THAT(scenario, Contains("value=\"" + hourly + " USD/h\""));
    if (site.machine != std::string("dallas")) {
      CHECK(cells("machines.csv", std::string(site.machine) + "-0,")[2] == hourly);
    }
    const double watts = site.devices * *parse_number(shipped("devices.csv", site.device)[1]);
    CHECK_THAT(scenario,
               Contains("\"" + format_number(std::round(1500 * watts) / 1e4) + ":" + format_number(watts) + "\""));
    for (const Site& to : sites) {
      if (to.machine == site.machine) continue;
      const auto pair = cells("egress.csv", std::string(site.machine) + "," + to.machine + ",");
      CHECK(pair[3] == shipped("egress.csv", std::string(site.from) + "," + to.from)[2]);
      CHECK(pair[4] == "1000000000");
    }
  }
}

}  // namespace dipaco::testing
