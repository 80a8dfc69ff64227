// Links whose bandwidth varies over time, through dipaco-sim.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kRates = "time_s,bandwidth\n0,8Mbps\n20,800kbps\n40,80Mbps\n";

/// Two sites and one link, of 8 Mbps if its attributes do not say otherwise.
std::string two_sites_over(const std::string& attributes, const std::string& link_prop) {
  std::string rest = R"(
<zone id="x" routing="Full"><prop id="workers" value="a"/><prop id="step_time" value="1s"/><prop id="store" value="a"/>
<host id="a" speed="1Tf"/></zone>
<zone id="y" routing="Full"><prop id="workers" value="b"/><prop id="step_time" value="1s"/><prop id="store" value="b"/>
<host id="b" speed="1Tf"/></zone>
)";
  const bool duplex = attributes.find("SPLITDUPLEX") != std::string::npos;
  const std::string forth = duplex ? R"(<link_ctn id="l" direction="UP"/>)" : R"(<link_ctn id="l"/>)";
  const std::string back = duplex ? R"(<link_ctn id="l" direction="DOWN"/>)" : R"(<link_ctn id="l"/>)";
  rest += "<link id=\"l\" bandwidth=\"8Mbps\" latency=\"1ms\" " + attributes + ">" + link_prop + "</link>\n";
  rest += R"(<zoneRoute src="x" dst="y" gw_src="a" gw_dst="b" symmetrical="NO">)" + forth + "</zoneRoute>";
  rest += R"(<zoneRoute src="y" dst="x" gw_src="b" gw_dst="a" symmetrical="NO">)" + back + "</zoneRoute>";
  return "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">" +
         rest + "\n</zone></platform>\n";
}

std::string over_time(const std::string& csv) { return R"(<prop id="bandwidth_over_time" value=")" + csv + R"("/>)"; }

struct VaryingRun {
  explicit VaryingRun(const std::string& scenario, const std::string& rates = kRates,
                      const std::vector<std::string>& more = {}) {
    write_file(folder.path() / "s.xml", scenario);
    write_file(folder.path() / "rates.csv", rates);
    write_file(folder.path() / "rates.txt", std::string_view("0 1000000\n20 100000\n40 10000000\n"));
    std::vector<std::string> words{folder.path() / "s.xml", "--learn", "off", "--out", folder.path() / "out"};
    words.insert(words.end(),
                 {"--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg", "--events", "on", "--set", "inner.steps=20"});
    words.insert(words.end(), more.begin(), more.end());
    outcome = run_built("dipaco-sim", words);
    if (outcome.status == 0) events = read_text(folder.path() / "out/events.csv");
    if (outcome.status == 0) summary = nlohmann::json::parse(read_text(folder.path() / "out/summary.json"));
  }
  double duration() const { return summary.at("simulated_s").get<double>(); }
  std::string says() const {
    std::string text = outcome.error;
    for (auto at = text.find(folder.path().string()); at != std::string::npos; at = text.find(folder.path().string())) {
      text.replace(at, folder.path().string().size(), "FOLDER");
    }
    return text;
  }
  TemporaryFolder folder;
  Outcome outcome;
  std::string events;
  nlohmann::json summary;
};

}  // namespace

TEST_CASE("a link's bandwidth over time is what SimGrid's own profile makes of the same steps", "[sim]") {
  const VaryingRun varying(two_sites_over("", over_time("rates.csv")));
  REQUIRE(varying.outcome.status == 0);
  const VaryingRun profile(two_sites_over("bandwidth_file=\"rates.txt\"", ""));
  REQUIRE(profile.outcome.status == 0);
  CHECK(varying.events == profile.events);
  const VaryingRun constant(two_sites_over("", ""));
  CHECK(varying.events != constant.events);
  CHECK(varying.duration() > 40);  // the steps mattered
  CHECK(VaryingRun(two_sites_over("", over_time("rates.csv")), "time_s,bandwidth\n0,8Mbps\n").events ==
        constant.events);
}

TEST_CASE("of a SPLITDUPLEX link both directions vary, and links.csv has the mean", "[sim]") {
  const std::string duplex = "sharing_policy=\"SPLITDUPLEX\"";
  const VaryingRun thin(two_sites_over(duplex, over_time("rates.csv")), "time_s,bandwidth\n0,800kbps\n");
  const VaryingRun set(two_sites_over(duplex, ""), kRates, {"--set", "link:l.bandwidth=800kbps"});
  REQUIRE(thin.outcome.status == 0);
  CHECK(thin.events == set.events);
  const VaryingRun varying(two_sites_over(duplex, over_time("rates.csv")));
  REQUIRE(varying.duration() > 40);
  // 20 s of 1 MB/s, 20 s of 0.1 MB/s, then 10 MB/s
  const double ended = varying.duration();
  const double mean = (20 * 1e6 + 20 * 1e5 + (ended - 40) * 1e7) / ended;
  const std::string links = read_text(varying.folder.path() / "out/links.csv");
  int directions = 0;
  for (const std::string& line : split(links, '\n')) {
    if (!line.starts_with("link,l_")) continue;
    ++directions;
    CHECK(parse_number(split(line, ',')[5]).value() == Approx(mean).epsilon(0.01));
  }
  CHECK(directions == 2);
}

TEST_CASE("what cannot be of a link's bandwidth over time is refused", "[sim]") {
  const auto says = [](const std::string& attributes, const std::string& of_link, const std::string& rates = kRates,
                       const std::vector<std::string>& more = {}) {
    const VaryingRun run(two_sites_over(attributes, of_link), rates, more);
    return std::to_string(run.outcome.status) + ": " + run.says();
  };
  CHECK_THAT(
      says("", over_time("rates.cvs")),
      Contains(R"(2: dipaco-sim: FOLDER/s.xml:8: bandwidth_over_time="rates.cvs" names no file: FOLDER/rates.cvs)"));
  CHECK_THAT(says("bandwidth_file=\"rates.txt\"", over_time("rates.csv")),
             Contains(R"(stands beside bandwidth_file="rates.txt" of <link id="l">; take one of both)"));
  CHECK_THAT(says("", over_time("rates.csv"), kRates, {"--set", "link:*.bandwidth=1Mbps"}),
             Contains("and so does link:*.bandwidth=1Mbps; take one of both"));
  CHECK_THAT(says("", R"(<prop id="bandwith_over_time" value="rates.csv"/>)"),
             Contains(R"(unknown prop "bandwith_over_time" in <link id="l">; did you mean "bandwidth_over_time"?)"));
  CHECK_THAT(says("", over_time("rates.csv"), "time_s,bandwidth\n0,8\n"),
             Contains(R"(3: dipaco-sim: FOLDER/rates.csv:2: the bandwidth "8" is no rate above 0 with a unit)"));
  CHECK_THAT(says("", over_time("rates.csv"), "time_s,bandwidth\n0,8Mbps\n5,0Mbps\n"),
             Contains("FOLDER/rates.csv:3: the bandwidth \"0Mbps\""));
  CHECK_THAT(says("", over_time("rates.csv"), kRates, {"--set", "zone:x.bandwidth_over_time=rates.csv"}),
             Contains(R"(the prop "bandwidth_over_time" belongs into a link, not into <zone id="x">)"));
}

TEST_CASE("a link that is left out holds nothing up, also one whose bandwidth varies", "[sim]") {
  const VaryingRun wide(two_sites_over("", ""), kRates, {"--set", "link:l.bandwidth=1Tbps"});
  constexpr const char* kThin = "time_s,bandwidth\n0,80kbps\n20,40kbps\n";
  const VaryingRun without(two_sites_over("", over_time("rates.csv")), kThin, {"--without", "link:l"});
  const VaryingRun with(two_sites_over("", over_time("rates.csv")), kThin);
  REQUIRE(wide.outcome.status == 0);
  REQUIRE(without.outcome.status == 0);
  CHECK(without.duration() == Approx(wide.duration()).epsilon(1e-3));
  CHECK(without.duration() < 0.9 * with.duration());
  const VaryingRun unknown(two_sites_over("", ""), kRates, {"--without", "link:ll"});
  CHECK(unknown.outcome.status == 2);
  CHECK_THAT(unknown.says(), Contains("--without link:ll: FOLDER/s.xml has no link \"ll\"; did you mean \"l\"?"));
}

TEST_CASE("a link's jitter is drawn by seed, the same from a prop and from the command line", "[sim]") {
  const std::string prop = R"(<prop id="jitter" value="0.5 every 2s"/>)";
  const VaryingRun drawn(two_sites_over("", prop));
  INFO(drawn.says());
  REQUIRE(drawn.outcome.status == 0);
  CHECK(drawn.events == VaryingRun(two_sites_over("", prop)).events);
  CHECK(drawn.events == VaryingRun(two_sites_over("", ""), kRates, {"--set", "link:l.jitter=0.5 every 2s"}).events);
  CHECK(drawn.events != VaryingRun(two_sites_over("", prop), kRates, {"--seed", "8"}).events);
  CHECK(drawn.events != VaryingRun(two_sites_over("", "")).events);
  const VaryingRun steps(two_sites_over("", over_time("rates.csv")), kRates, {"--set", "link:*.jitter=0.5 every 2s"});
  CHECK(steps.outcome.status == 0);
  CHECK(steps.events != VaryingRun(two_sites_over("", over_time("rates.csv"))).events);
}

TEST_CASE("both directions of a link have draws of their own, and links.csv has their means", "[sim]") {
  const VaryingRun run(two_sites_over("sharing_policy=\"SPLITDUPLEX\"", ""), kRates,
                       {"--set", "link:l.jitter=0.3 every 500ms"});
  INFO(run.says());
  REQUIRE(run.outcome.status == 0);
  std::vector<double> means;
  for (const std::string& row : split(read_text(run.folder.path() / "out/links.csv"), '\n')) {
    const auto cells = split(row, ',');
    if (cells.size() > 5 && cells[1].starts_with("l_")) means.push_back(*parse_number(cells[5]));
  }
  REQUIRE(means.size() == 2);
  CHECK(means[0] != means[1]);
  // The mean of a log-normal draw is exp(spread^2 / 2) = 1.046 of its median, 1 MB/s.
  for (const double mean : means) CHECK(mean == Approx(1.046e6).epsilon(0.2));
}

TEST_CASE("a change takes a link's jitter and outages away, and gives jitter to links of a cluster", "[sim]") {
  const std::string props = R"(<prop id="jitter" value="0.5 every 2s"/><prop id="outages" value="from 5s to 15s"/>)";
  const VaryingRun plain(two_sites_over("", ""));
  const VaryingRun both(two_sites_over("", props));
  REQUIRE(both.outcome.status == 0);
  CHECK(both.events != plain.events);
  const VaryingRun taken(two_sites_over("", props), kRates, {"--set", "link:l.jitter=", "--set", "link:*.outages="});
  INFO(taken.says());
  REQUIRE(taken.outcome.status == 0);
  CHECK(taken.events == plain.events);
  const std::string profiled = two_sites_over("bandwidth_file=\"rates.txt\"", "");
  CHECK(VaryingRun(profiled, kRates, {"--set", "link:*.jitter="}).outcome.status == 0);

  const std::string cluster =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">"
      R"(<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Tf" bw="8Mbps" lat="1ms"/></zone></platform>)";
  const VaryingRun even(cluster);
  INFO(even.says());
  REQUIRE(even.outcome.status == 0);
  const VaryingRun drawn(cluster, kRates, {"--set", "link:*.jitter=0.5 every 2s"});
  REQUIRE(drawn.outcome.status == 0);
  CHECK(drawn.events != even.events);
  CHECK(VaryingRun(cluster, kRates, {"--set", "link:*.jitter=0.5 every 2s", "--set", "link:*.jitter="}).events ==
        even.events);
}

TEST_CASE("jitter that is none is refused, with what to write", "[sim]") {
  const auto says = [](const std::string& attributes, const std::string& value) {
    return VaryingRun(two_sites_over(attributes, "<prop id=\"jitter\" value=\"" + value + "\"/>")).says();
  };
  for (const char* const wrong : {"0.2", "0 every 2s", "1.5 every 2s", "0.2 every 0s", "0.2 every 3", "2s every 0.2"}) {
    CHECK_THAT(says("", wrong), Contains("FOLDER/s.xml:8: jitter=\"" + std::string(wrong) +
                                         "\" is no jitter: a spread up to 1 and a time, such as \"0.2 every 30s\""));
  }
  CHECK_THAT(says("bandwidth_file=\"rates.txt\"", "0.2 every 2s"), Contains("take one of both"));
  const auto set = [](const std::string& change) {
    return VaryingRun(two_sites_over("", ""), kRates, {"--set", change}).says();
  };
  CHECK_THAT(set("link:l.jitter=0.2"), Contains("\"0.2\" is no jitter: a spread up to 1 and a time"));
  CHECK_THAT(set("link:m.jitter=0.2 every 2s"), Contains("has no link \"m\""));
  CHECK_THAT(set("link:l.jiter=0.2 every 2s"), Contains("did you mean \"jitter\"?"));
  const Outcome ranks = run_built("dipaco-sim", {"data-parallel", DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml", "--set",
                                                 "link:dallas-tokyo.jitter=0.2 every 30s"});
  CHECK(ranks.status == 2);
  CHECK_THAT(ranks.error, Contains("has jitter, and data-parallel takes a step's time as it is between changes"));
}

}  // namespace dipaco::testing
