#include <catch2/catch.hpp>
#include <cmath>

#include "backends/sim/machines/machines.hpp"
#include "backends/sim/scenario/host_list.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/timeline/availability.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kHead =
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n";

/// A scenario file and what SimGrid would make of it: sites a (a0, a1, a2) and b (b0, b1).
struct Made {
  explicit Made(const std::string& body) : path(folder.path() / "scenario.xml") {
    write_file(path, kHead + body + "</platform>\n");
  }
  Placement place() const {
    const ScenarioFile file(path);
    return dipaco::place(file, read_options(file), zones);
  }
  TemporaryFolder folder;
  std::filesystem::path path;
  std::vector<PlatformZone> zones{{"a", {{"a0", 1e9, 1}, {"a1", 1e9, 1}, {"a2", 2e9, 4}}},
                                  {"b", {{"b0", 1e9, 1}, {"b1", 1e9, 1}}}};
};

std::string nodes_of(const Placement& placement) {
  std::string text;
  for (const PlacedNode& node : placement.nodes) {
    text += std::string(name(node.role)) + " " + node.host + "; ";
  }
  return text;
}

std::vector<AvailabilityStep> availability(const std::string& text) {
  const TemporaryFolder folder;
  write_file(folder.path() / "spot.csv", text);
  return read_availability(folder.path() / "spot.csv");
}

}  // namespace

TEST_CASE("a list of hosts may count, name and range, and is in the order of the hosts", "[sim]") {
  const std::vector<std::string> hosts{"n0.x", "n1.x", "n2.x", "other"};
  CHECK(read_host_list("all", hosts) == hosts);
  CHECK(read_host_list("2", hosts) == std::vector<std::string>{"n0.x", "n1.x"});
  CHECK(read_host_list("other, n[1-2].x", hosts) == std::vector<std::string>{"n1.x", "n2.x", "other"});
  CHECK_THROWS_WITH(read_host_list("5", hosts), Contains("asks for 5 hosts where there are 4"));
  CHECK_THROWS_WITH(read_host_list("0", hosts), Contains("asks for 0 hosts"));
  CHECK_THROWS_WITH(
      read_host_list("n[2-4].x", hosts),
      Contains("\"n3.x\", which is not there; did you mean \"n0.x\"?") || Contains("\"n3.x\", which is not there"));
  CHECK_THROWS_WITH(read_host_list("n[2].x", hosts), Contains("no range"));
  CHECK_THROWS_WITH(read_host_list("n[2-1].x", hosts), Contains("no range from low to high"));
  CHECK_THROWS_WITH(read_host_list(" ", hosts), Contains("names no host"));
}

TEST_CASE("roles go to the hosts that the props name, the coordinator first", "[sim]") {
  const Made made(R"(<zone id="w" routing="Full">
    <prop id="run" value="runs/x.cfg"/><prop id="coordinator" value="b0"/>
    <zone id="a" routing="Full"><prop id="workers" value="2"/><prop id="executors" value="a2"/><prop id="store" value="a2"/>
      <host id="a0" speed="1Gf"/><host id="a1" speed="1Gf"><prop id="mfu" value="0.5"/></host><host id="a2" speed="2Gf"/></zone>
    <zone id="b" routing="Full"><prop id="store" value="b0"/>
      <host id="b0" speed="1Gf"/><host id="b1" speed="1Gf"><prop id="role" value="worker, evaluator"/></host></zone>
    </zone>)");
  const Placement placement = made.place();
  CHECK(nodes_of(placement) ==
        "coordinator b0; executor a2; store a2; store b0; evaluator b1; worker a0; worker a1; "
        "worker b1; ");
  CHECK(placement.run == made.folder.path() / "runs/x.cfg");
  CHECK(placement.nodes[5].speed.value == 0.4e9);
  CHECK(placement.nodes[6].speed.value == 0.5e9);
  CHECK(placement.nodes[1].speed.value == 0.4 * 8e9);  // 2 Gflop/s on each of 4 cores
  CHECK(placement.nodes[6].site == SiteId{0});
  CHECK(placement.nodes[7].site == SiteId{1});
  REQUIRE(placement.inferred.size() == 1);
  CHECK_THAT(placement.inferred[0], Contains("mfu of 2 worker hosts is not given: 0.4"));
}

TEST_CASE("a host with a step time takes that for an inner step, whatever its speed, and its zone's mfu", "[sim]") {
  const Made made(R"(<zone id="w" routing="Full"><zone id="a" routing="Full"><prop id="workers" value="all"/>
    <prop id="mfu" value="0.5"/><host id="a0" speed="1Gf"/>
    <host id="a1" speed="1Gf"><prop id="step_time" value="250ms"/></host></zone></zone>)");
  Placement placement = made.place();
  CHECK(placement.inferred.size() == 3);  // store, executor and coordinator; no mfu
  set_speeds(placement, Flops{8e9});
  const auto workers = placement.with(Role::worker);
  CHECK(workers[0].speed.value == 0.5e9);
  CHECK(workers[1].speed.value == 32e9);
}

TEST_CASE("a site may say that it has no store, but not all of them", "[sim]") {
  const auto with_b = [](const std::string& b) {
    return Made(R"(<zone id="w" routing="Full"><zone id="a" routing="Full"><prop id="workers" value="1"/>
      <prop id="store" value="none"/></zone><zone id="b" routing="Full">)" +
                b + "</zone></zone>");
  };
  CHECK(nodes_of(with_b(R"(<prop id="store" value="b1"/>)").place()) ==
        "coordinator b1; executor b1; store b1; worker a0; ");
  CHECK_THROWS_WITH(with_b("").place(), Contains("no store anywhere"));
}

TEST_CASE("a platform without props of ours works on every host", "[sim]") {
  const Made made(R"(<zone id="w" routing="Full"><prop id="anything" value="goes"/>
    <zone id="a" routing="Full"><host id="a0" speed="1Gf"><prop id="wattage_per_state" value="1:2"/></host></zone></zone>)");
  CHECK(nodes_of(made.place()) ==
        "coordinator a0; executor a0; executor b0; store a0; store b0; worker a0; worker a1; "
        "worker a2; worker b0; worker b1; ");
}

TEST_CASE("what a machine is charged is said by its zone, or by itself", "[sim]") {
  const Made made(R"(<zone id="w" routing="Full"><zone id="a" routing="Full"><prop id="workers" value="2"/>
    <prop id="memory" value="8 x 80GiB"/><prop id="disk" value="2GBps"/><prop id="jitter" value="0.1"/><prop id="start_up" value="90s"/>
    <host id="a0" speed="1Gf"><prop id="disk" value="500 MBps"/><prop id="intake" value="1GiBps"/></host>
    <host id="a1" speed="1Gf"><prop id="jitter" value="0"/><prop id="memory" value="24GB"/></host></zone></zone>)");
  const auto workers = made.place().with(Role::worker);
  REQUIRE(workers.size() == 2);
  CHECK(workers[0].charges.disk.value == 500e6);
  CHECK(workers[0].charges.intake.value == 1073741824);
  CHECK(std::pair(workers[0].charges.jitter, workers[0].charges.start_up) == std::pair(0.1, Seconds(90)));
  CHECK(workers[1].charges.disk.value == 2e9);
  CHECK(workers[1].charges.intake.value == 0);
  CHECK(workers[1].charges.jitter == 0);
  CHECK(std::pair(workers[0].memory->devices, workers[0].memory->each.value) == std::pair(8L, 80UL << 30));
  CHECK(std::pair(workers[1].memory->devices, workers[1].memory->each.value) == std::pair(1L, 24'000'000'000UL));
  for (const auto& [prop, said] : {std::pair{R"(id="disk" value="2GB")", "is no rate with a unit, such as"},
                                   {R"(id="disk" value="2Gb")", "is no rate with a unit, such as"},
                                   {R"(id="intake" value="0GBps")", "is no rate with a unit, such as"},
                                   {R"(id="memory" value="80")", "is not the memory of a device with its unit"},
                                   {R"(id="memory" value="0 x 80GiB")", "is not the memory of a device"},
                                   {R"(id="jitter" value="5%")", "jitter=\"5%\" is no share from 0 to 1"},
                                   {R"(id="jitter" value="-0.1")", "is no share from 0 to 1"},
                                   {R"(id="start_up" value="90")", "start_up=\"90\" is no time with a unit"}}) {
    const Made wrong(R"(<zone id="w" routing="Full"><zone id="a" routing="Full"><prop id="workers" value="1"/>
<host id="a0" speed="1Gf"><prop )" +
                     std::string(prop) + "/></host></zone></zone>");
    CHECK_THROWS_WITH(wrong.place(), Contains("scenario.xml:5: ") && Contains(said));
  }
}

TEST_CASE("what a scenario says wrong is an error with its line", "[sim]") {
  const auto error_of = [](const std::string& inside_a, const std::string& root = "") {
    const Made made("<zone id=\"w\" routing=\"Full\">" + root + "\n<zone id=\"a\" routing=\"Full\">\n" + inside_a +
                    "</zone></zone>\n");
    try {
      made.place();
    } catch (const std::exception& error) {
      const std::string text = error.what();
      return text.substr(text.find("scenario.xml"));
    }
    return std::string("none");
  };
  const std::string hosts = R"(<host id="a0" speed="1Gf"/><host id="a1" speed="1Gf"/><host id="a2" speed="1Gf"/>)";
  const std::string some = R"(<prop id="workers" value="all"/>)";
  CHECK(error_of(some + hosts) == "none");
  CHECK_THAT(error_of(R"(<prop id="worker" value="all"/><prop id="store" value="1"/>)" + hosts),
             Contains("scenario.xml:6: unknown prop \"worker\"") && Contains("did you mean \"workers\"?"));
  CHECK_THAT(error_of(R"(<prop id="store" value="1"/>)" + hosts), Contains("no worker anywhere"));
  CHECK_THAT(error_of(R"(<prop id="workers" value="a7"/>)" + hosts),
             Contains("scenario.xml:6: workers=\"a7\" in zone \"a\" names the host \"a7\", which is not there"));
  CHECK_THAT(error_of(some + hosts, R"(<prop id="coordinator" value="c"/>)"),
             Contains("scenario.xml:4: coordinator=\"c\""));
  CHECK_THAT(error_of(some + hosts, R"(<prop id="workers" value="1"/>)"), Contains("has no host of its own"));
  CHECK_THAT(error_of(some + R"(<prop id="run" value="x.cfg"/>)" + hosts), Contains("belongs into the root zone"));
  CHECK_THAT(error_of(some + R"(<prop id="notice" value="30"/>)" + hosts), Contains("\"30\" is no time with a unit"));
  CHECK_THAT(error_of(some + R"(<prop id="notice" value="30s"/>)" + hosts),
             Contains("nothing takes its machines away"));
  CHECK_THAT(error_of(some + hosts, R"(<prop id="tcp_window" value="16"/>)"), Contains("is no size with a unit"));
  CHECK_THAT(error_of(some + hosts, R"(<prop id="tcp_streams" value="0"/>)"), Contains("no whole number from 1"));
  CHECK_THAT(error_of(some + hosts, R"(<prop id="tcp" value="tunned"/>)"), Contains("did you mean \"tuned\"?"));
  CHECK_THAT(error_of(some + hosts, R"(<prop id="tcp" value="untuned"/><prop id="tcp_streams" value="2"/>)"),
             Contains("tcp=\"untuned\" stands beside tcp_streams"));
  const auto host = [&](const std::string& prop) {
    return error_of(some + R"(<host id="a0" speed="1Gf"/><host id="a1" speed="1Gf">)" + prop + "</host>");
  };
  CHECK_THAT(host(R"(<prop id="mfu" value="45"/>)"), Contains("mfu=\"45\" is no share"));
  CHECK_THAT(host(R"(<prop id="mfu" value="0.4"/><prop id="step_time" value="1s"/>)"), Contains("give one of them"));
  CHECK_THAT(host(R"(<prop id="step_time" value="0s"/>)"), Contains("more than 0"));
  CHECK_THAT(host(R"(<prop id="mtbf" value="2h"/>)"), Contains("mtbf without mttr"));
  CHECK_THAT(host(R"(<prop id="mtbf" value="0s"/><prop id="mttr" value="1s"/>)"), Contains("more than 0"));
  CHECK_THAT(host(R"(<prop id="role" value="wrker"/>)"), Contains("unknown role \"wrker\"; did you mean \"worker\"?"));
  CHECK_THAT(host(R"(<prop id="store" value="1"/>)"), Contains("belongs into a zone"));
  CHECK_THAT(host(R"(<prop id="role" value="coordinator"/>)") +
                 error_of(some + R"(<host id="a0" speed="1Gf"><prop id="role" value="coordinator"/></host>
                                   <host id="a1" speed="1Gf"><prop id="role" value="coordinator"/></host>)"),
             Contains("are both the coordinator"));
}

TEST_CASE("a host's own mtbf holds for all its roles, its zone's for hosts that only work", "[sim]") {
  const std::string fails = R"(<prop id="mtbf" value="2h"/><prop id="mttr" value="5s"/>)";
  const auto failing = [](const std::string& of_zone, const std::string& of_host) {
    const Made made(R"(<zone id="w" routing="Full"><prop id="coordinator" value="a0"/><zone id="a" routing="Full">
      <prop id="workers" value="all"/><prop id="store" value="a0"/><prop id="executors" value="a1"/>)" +
                    of_zone + R"(<host id="a0" speed="1Gf">)" + of_host + "</host></zone></zone>\n");
    std::string hosts;
    for (const HostFailures& host : made.place().failures) hosts += host.host + " ";
    return hosts;
  };
  CHECK(failing("", fails) == "a0 ");
  CHECK(failing(fails, "") == "a2 ");
  CHECK(failing(fails, fails) == "a0 a2 ");
}

TEST_CASE("a host's own failures hold for all its roles, its zone's and its capacity for hosts that only work",
          "[sim]") {
  const std::string fails = R"(<prop id="failures" value="2h"/><prop id="repair" value="5s"/>)";
  const auto taken = [](const std::string& of_zone, const std::string& of_host) {
    const Made made(R"(<zone id="w" routing="Full"><prop id="coordinator" value="a0"/><zone id="a" routing="Full">
      <prop id="workers" value="all"/><prop id="store" value="a0"/><prop id="executors" value="a1"/>)" +
                    of_zone + R"(<host id="a0" speed="1Gf">)" + of_host + "</host></zone></zone>\n");
    const Placement placement = made.place();
    std::string hosts;
    for (const DrawnAbsences& drawn : placement.absences) hosts += drawn.hosts.front() + " ";
    for (const SitePreemption& capacity : placement.preemptions) hosts += capacity.hosts.front() + " withheld ";
    for (const std::string& host : placement.reclaimable()) hosts += host + " reclaimable ";
    return hosts;
  };
  CHECK(taken("", fails) == "a0 ");
  CHECK(taken(fails, "") == "a2 ");
  CHECK(taken(fails, fails) == "a0 a2 ");
  CHECK(taken(R"(<prop id="capacity" value="0 from 1h"/>)", "") == "a2 withheld a2 reclaimable ");
  CHECK(taken(R"(<prop id="reclaims" value="1h"/><prop id="given_back" value="1h"/>)", "") == "a2 a2 reclaimable ");
}

TEST_CASE("a preemption takes machines that only work", "[sim]") {
  const auto zone = [](const std::string& workers) {
    return R"(<zone id="w" routing="Full"><zone id="a" routing="Full"><prop id="workers" value=")" + workers +
           R"("/><prop id="store" value="a0"/><prop id="executors" value="a0"/><prop id="preemption" value="spot.csv"/>
           <prop id="notice" value="30s"/><host id="a0" speed="1Gf"/></zone></zone>)";
  };
  const Made good(zone("all"));
  write_file(good.folder.path() / "spot.csv", "time_s,available\n0,2\n");
  const Placement placement = good.place();
  REQUIRE(placement.preemptions.size() == 1);
  CHECK(placement.preemptions[0].hosts == std::vector<std::string>{"a1", "a2"});
  CHECK(placement.preemptions[0].notice == Seconds(30));
  const Made bad(zone("a0"));
  write_file(bad.folder.path() / "spot.csv", "time_s,available\n0,2\n");
  CHECK_THROWS_WITH(bad.place(), Contains("no host that only works"));
}

TEST_CASE("a preemption CSV says where it is wrong", "[sim]") {
  const auto steps = availability("# a comment\ntime_s,available\n0,4\n300,2\r\n");
  REQUIRE(steps.size() == 2);
  CHECK(steps[1].time == Seconds(300));
  CHECK(steps[1].machines == 2);
  CHECK_THROWS_AS(availability("time_s,available\n0,\n"), DataError);
  CHECK_THROWS_WITH(availability("time_s,available\n0,\n"), Contains("spot.csv:2: an empty cell"));
  CHECK_THROWS_WITH(availability("time_s,available\n0,4\nx,2\n"), Contains("spot.csv:3: the time \"x\""));
  CHECK_THROWS_WITH(availability("time_s,available\n0,4\n300,two\n"), Contains("spot.csv:3: the count \"two\""));
  CHECK_THROWS_WITH(availability("time_s,available\n0,1.5\n"), Contains("the count \"1.5\""));
  CHECK_THROWS_WITH(availability("time_s,available\n0,4,1\n"), Contains("here are 3"));
  CHECK_THROWS_WITH(availability("time_s,available\n5,4\n"), Contains("it must be 0"));
  CHECK_THROWS_WITH(availability("time_s,available\n0,4\n9,4\n9,3\n"), Contains("does not come after 9"));
  CHECK_THROWS_WITH(availability("time,available\n0,4\n"), Contains("the header is \"time,available\""));
  CHECK_THROWS_WITH(availability("time_s,available\n"), Contains("no rows"));
}

TEST_CASE("machine i is there while more than i are available", "[sim]") {
  const std::vector<AvailabilityStep> steps{{Seconds(0), 1}, {Seconds(10), 2}, {Seconds(20), 0}, {Seconds(30), 3}};
  const auto first = up_times(steps, 0);
  REQUIRE(first.size() == 2);
  CHECK(first[0].from == Seconds(0));
  CHECK(first[0].until == Seconds(20));
  CHECK(first[1].from == Seconds(30));
  CHECK(!first[1].until);
  CHECK(up_times(steps, 1).front().from == Seconds(10));
  CHECK(up_times(steps, 3).empty());
}

TEST_CASE("failures are functions of seed and host, with the means that were asked for", "[sim]") {
  const HostFailures host{.host = "h", .number = 3, .mtbf = Seconds(100), .mttr = Seconds(10)};
  double up = 0;
  double down = 0;
  Seconds end{0};
  constexpr int kDraws = 4000;
  for (int k = 0; k < kDraws; ++k) {
    const UpTime time = failing_up_time(host, 1, static_cast<std::uint64_t>(k), end);
    up += (*time.until - time.from).count();
    down += (time.from - end).count();
    end = *time.until;
  }
  CHECK(up / kDraws == Approx(100).epsilon(0.05));  // 3 standard errors of an exponential's mean: 4.7 %
  CHECK(down / kDraws == Approx(10).epsilon(0.05));
  CHECK(failing_up_time(host, 1, 7, Seconds(0)).until == failing_up_time(host, 1, 7, Seconds(0)).until);
  CHECK(failing_up_time(host, 2, 7, Seconds(0)).until != failing_up_time(host, 1, 7, Seconds(0)).until);
}

}  // namespace dipaco::testing
