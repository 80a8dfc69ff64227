// Props of a zone that would say nothing where they stand, through dipaco-sim.

#include <catch2/catch.hpp>
#include <string>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// Two workers and a store in a zone of the root's, and what is said besides.
struct Said {
  std::string root{};
  std::string zone{};
  std::string host{};                                   ///< of the first worker
  std::string trace = "time_s,available\n0,2\n40,1\n";  ///< spot.csv
  std::string speed = "0 1\n";                          ///< the first worker's speed.txt
  std::string cores = "1";                              ///< of the second worker
};

/// What the program ends with. FOLDER stands for where the files are.
Outcome simulate(const Said& said) {
  const TemporaryFolder folder;
  const std::string text = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="root" routing="Full">)" +
                           said.root + R"(
<zone id="z" routing="Full"><prop id="store" value="s"/>)" +
                           said.zone + R"(
<host id="w0" speed="1Tf" speed_file="speed.txt">)" +
                           said.host + R"(</host><host id="w1" speed="1Tf" core=")" + said.cores +
                           R"("/><host id="s" speed="1Tf"/>
<link id="l" bandwidth="1Gbps" latency="1ms"/><route src="s" dst="w0"><link_ctn id="l"/></route>
<route src="s" dst="w1"><link_ctn id="l"/></route><route src="w0" dst="w1"><link_ctn id="l"/></route>
</zone></zone></platform>
)";
  write_file(folder.path() / "x.xml", text);
  write_file(folder.path() / "spot.csv", said.trace);
  write_file(folder.path() / "speed.txt", said.speed);
  Outcome outcome =
      run_built("dipaco-sim", {folder.path() / "x.xml", "--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg",
                               "--learn", "off", "--out", folder.path() / "out"});
  const std::string name = folder.path().string();
  for (auto at = outcome.error.find(name); at != std::string::npos; at = outcome.error.find(name))
    outcome.error.replace(at, name.size(), "FOLDER");
  return outcome;
}

void check_refused(const Said& said, const std::string& says) {
  CAPTURE(said.root, said.zone, said.host, said.speed);
  const Outcome outcome = simulate(said);
  CHECK(outcome.status == 2);
  CHECK_THAT(outcome.error, Catch::Contains(says));
}

const std::string kWorkers = R"(<prop id="workers" value="w0,w1"/>)";
const std::string kTrace = R"(<prop id="preemption" value="spot.csv"/>)";

}  // namespace

TEST_CASE("what the root zone says of machines that go is refused, as it has none", "[sim]") {
  CHECK(simulate({.zone = kWorkers + kTrace}).status == 0);
  check_refused(
      {.root = R"(<prop id="preemption_offset" value="banana"/>)", .zone = kWorkers + kTrace},
      R"(FOLDER/x.xml:4: zone "root" has no host of its own for its prop "preemption_offset"; give the prop to)");
  check_refused({.root = R"(<prop id="preemption_machine_scale" value="2"/>)", .zone = kWorkers + kTrace},
                R"(zone "root" has no host of its own for its prop "preemption_machine_scale")");
  check_refused({.root = R"(<prop id="notice" value="30s"/>)", .zone = kWorkers + kTrace},
                R"(FOLDER/x.xml:4: zone "root" has no host of its own for its prop "notice")");
}

TEST_CASE("failures of a zone whose hosts all do more than work are refused", "[sim]") {
  const std::string fails = R"(<prop id="mtbf" value="1h"/><prop id="mttr" value="5min"/>)";
  const std::string all = R"(<prop id="executors" value="w0,w1"/>)";
  CHECK(simulate({.zone = kWorkers + fails}).status == 0);
  check_refused(
      {.zone = kWorkers + all + fails},
      R"(FOLDER/x.xml:5: zone "z" has mtbf, but no host that only works: give it to the hosts that are to fail)");
  check_refused({.zone = kWorkers + all + R"(<prop id="failures" value="1h"/><prop id="repair" value="5min"/>)"},
                R"(zone "z" has failures, but no host that only works)");
}

TEST_CASE("a speed of 0 is refused, as such a machine would never end what it does", "[sim]") {
  CHECK(simulate({.zone = kWorkers, .speed = "0 0.5\n"}).status == 0);
  const Outcome outcome = simulate({.zone = kWorkers, .speed = "0 1\n0.01 0\n5 1\n"});
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.error, Catch::Contains("FOLDER/speed.txt:2: the value 0 is not a share of the speed above 0"));
}

TEST_CASE("a host of several cores does not work and evaluate at once", "[sim]") {
  const std::string evaluates = R"(<prop id="evaluators" value="w1"/>)";
  CHECK(simulate({.zone = kWorkers + evaluates}).status == 0);
  CHECK(simulate({.zone = kWorkers, .cores = "8"}).status == 0);
  check_refused({.zone = kWorkers + evaluates, .cores = "8"},
                R"(FOLDER/x.xml:6: "w1" works and evaluates on 8 cores, which the simulator cannot share)");
}

TEST_CASE("a prop that is there twice is refused", "[sim]") {
  check_refused(
      {.zone = kWorkers, .host = "<prop id=\"step_time\" value=\"1s\"/>\n<prop id=\"step_time\" value=\"2s\"/>"},
      R"(FOLDER/x.xml:7: prop "step_time" again, which <host> has in line 6; leave one of them out)");
}

TEST_CASE("machines of a zone with a trace that stay all the same are named", "[sim]") {
  const auto notes = [](const Said& said) { return simulate(said).error; };
  const std::string stays = R"("w0" stays, though zone "z" has preemption: it does more than work)";
  CHECK_THAT(notes({.zone = kWorkers + kTrace}), !Catch::Contains("stays"));
  CHECK_THAT(notes({.zone = kWorkers + kTrace + R"(<prop id="executors" value="w0"/>)"}), Catch::Contains(stays));
  const std::string three = R"(<prop id="workers" value="all"/><prop id="executors" value="w0"/>)";
  CHECK_THAT(notes({.zone = three + kTrace}),
             Catch::Contains(R"("s" and 1 more stay, though zone "z" has preemption: they do more than work)"));
}

TEST_CASE("a trace of more machines than there are is noted", "[sim]") {
  const auto notes = [](const std::string& trace, const std::string& more) {
    return simulate({.zone = kWorkers + kTrace + more, .trace = trace}).error;
  };
  const std::string many = "time_s,available\n0,8\n40,4\n";
  CHECK_THAT(notes(many, ""),
             Catch::Contains("preemption=\"spot.csv\" has up to 8 machines, but only 2 of its zone can go"));
  CHECK_THAT(notes(many, R"(<prop id="preemption_machine_scale" value="0.25"/>)"), !Catch::Contains("has up to"));
  CHECK_THAT(notes("time_s,available\n0,2\n40,1\n", ""), !Catch::Contains("has up to"));
}

}  // namespace dipaco::testing
