#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

constexpr const char* kSound = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<config><prop id="network/TCP-gamma" value="0"/></config>
<zone id="world" routing="Full">
<prop id="coordinator" value="east-0"/><prop id="tcp_window_" value=""/>
<zone id="east" routing="Full">
<prop id="workers" value="all"/><prop id="store" value="east-0"/>
<prop id="preemption" value="spot.csv"/><prop id="notice" value="30s"/>
<host id="east-0" speed="312Tf" core="1"/>
<host id="east-1" speed="312Tf"><prop id="mfu" value="0.45"/></host>
<link id="lan" bandwidth="25Gbps" latency="50us" state_file="lan.txt"/>
<route src="east-0" dst="east-1"><link_ctn id="lan"/></route>
</zone>
<cluster id="west" prefix="west-" suffix="" radical="0-1" speed="125Tf" bw="10Gbps" lat="50us" router_id="west-gateway">
<prop id="workers" value="2"/><prop id="step_time" value="250ms"/>
</cluster>
<link id="wan" bandwidth="300Mbps" latency="65ms" sharing_policy="SPLITDUPLEX"/>
<zoneRoute src="east" dst="west" gw_src="east-0" gw_dst="west-gateway" symmetrical="NO">
<link_ctn id="wan" direction="UP"/>
</zoneRoute>
<zoneRoute src="west" dst="east" gw_src="west-gateway" gw_dst="east-0" symmetrical="NO">
<link_ctn id="wan" direction="DOWN"/>
</zoneRoute>
</zone>
</platform>
)";

/// A scenario that is in order, what it needs beside it, and how it is run.
struct Input {
  std::string scenario;
  std::string spot = "time_s,available\n0,1\n";
  std::string lan = "0 1\n";
  std::vector<std::string> options{};
};

/// What stands in for a piece of the input, and what the program says of it. FOLDER is where the files are.
struct Refused {
  const char* piece;
  const char* instead;
  int status;
  const char* says;
};

std::string replaced(std::string text, const std::string& piece, const std::string& instead) {
  const auto at = text.find(piece);
  return at == std::string::npos ? text : text.replace(at, piece.size(), instead);
}

std::string with_folder(std::string says, const std::string& folder) {
  while (says.find("FOLDER") != std::string::npos) says = replaced(says, "FOLDER", folder);
  return says;
}

Outcome run(const Input& input, std::string& folder_name) {
  const TemporaryFolder folder;
  folder_name = folder.path().string();
  write_file(folder.path() / "x.xml", input.scenario);
  write_file(folder.path() / "spot.csv", input.spot);
  write_file(folder.path() / "lan.txt", input.lan);
  std::vector<std::string> words{folder.path() / "x.xml", "--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg"};
  words.insert(words.end(), {"--learn", "off", "--out", folder.path() / "out"});
  words.insert(words.end(), input.options.begin(), input.options.end());
  return run_built("dipaco-sim", words);
}

Input sound() { return {.scenario = replaced(kSound, R"(<prop id="tcp_window_" value=""/>)", "")}; }

void check_refused(const Refused& refused, const Input& input) {
  CAPTURE(refused.piece, refused.instead);
  std::string folder;
  const Outcome outcome = run(input, folder);
  CHECK(outcome.status == refused.status);
  CHECK(outcome.error == "dipaco-sim: " + with_folder(refused.says, folder) + "\n");
  CHECK(outcome.output.empty());
}

/// What cannot be, piece by piece of the scenario.
constexpr Refused kInScenarios[] = {
    // quantities
    {R"("300Mbps")", R"("0Mbps")", 2,
     R"(FOLDER/x.xml:18: bandwidth="0Mbps" of <link id="wan"> is not above 0: nothing could ever arrive; write it as in "300Mbps")"},
    {R"("300Mbps")", R"("-300Mbps")", 2,
     R"(FOLDER/x.xml:18: bandwidth="-300Mbps" of <link id="wan"> is not above 0: nothing could ever arrive; write it as in "300Mbps")"},
    {R"("300Mbps")", R"("300")", 2,
     R"(FOLDER/x.xml:18: bandwidth="300" of <link id="wan"> has no unit; write "300Mbps" or "300MBps", whichever is meant)"},
    {R"("300Mbps")", R"("300Mb")", 2,
     R"(FOLDER/x.xml:18: bandwidth="300Mb" of <link id="wan"> has the unit "Mb", which SimGrid does not know for a bandwidth; did you mean "300Mbps"?)"},
    {R"("300Mbps")", R"("300mbps")", 2,
     R"(FOLDER/x.xml:18: bandwidth="300mbps" of <link id="wan"> has the unit "mbps", which SimGrid does not know for a bandwidth; did you mean "300Mbps"?)"},
    {R"("300Mbps")", R"("300 Mbps")", 2,
     R"(FOLDER/x.xml:18: bandwidth="300 Mbps" of <link id="wan"> has a space before its unit; write "300Mbps")"},
    {R"("300Mbps")", R"("fast")", 2,
     R"(FOLDER/x.xml:18: bandwidth="fast" of <link id="wan"> is no bandwidth; write it as in "300Mbps")"},
    {R"("65ms")", R"("65")", 2,
     R"(FOLDER/x.xml:18: latency="65" of <link id="wan"> has no unit; write "65ms" or "65us", whichever is meant)"},
    {R"("65ms")", R"("-65ms")", 2,
     R"(FOLDER/x.xml:18: latency="-65ms" of <link id="wan"> is below 0: a message would arrive before it is sent; write it as in "65ms")"},
    {R"("65ms")", R"("1min")", 2,
     R"(FOLDER/x.xml:18: latency="1min" of <link id="wan"> has the unit "min", which SimGrid does not know for a latency; did you mean "1m"?)"},
    {R"( latency="65ms")", "", 2,
     R"(FOLDER/x.xml:18: <link id="wan"> has no latency; write it as in latency="65ms", or latency="0")"},
    {R"("312Tf")", R"("0Tf")", 2,
     R"(FOLDER/x.xml:10: speed="0Tf" of <host id="east-0"> is not above 0: nothing would ever be computed; write it as in "312Tf")"},
    {R"("312Tf")", R"("312T")", 2,
     R"(FOLDER/x.xml:10: speed="312T" of <host id="east-0"> has the unit "T", which SimGrid does not know for a speed; did you mean "312Tf"?)"},
    {R"("312Tf")", R"("312Tf,156")", 2,
     R"(FOLDER/x.xml:10: speed="312Tf,156" of <host id="east-0"> has no unit; write "156Tf" or "156Gf", whichever is meant)"},
    {R"(core="1")", R"(core="0")", 2,
     R"(FOLDER/x.xml:10: core="0" of <host id="east-0"> is no whole number from 1; write how many cores the host has)"},
    {R"(core="1")", R"(core="1" pstate="1")", 2,
     R"(FOLDER/x.xml:10: pstate="1" of <host id="east-0"> is no place in the list speed="312Tf"; write one from 0 to 0)"},
    {R"("0-1")", R"("1-0")", 2,
     R"(FOLDER/x.xml:15: radical="1-0" of <cluster id="west"> is no list of numbers from low to high; write the hosts' as in "0-3,7")"},
    {R"(version="4.1")", R"(version="2")", 2,
     R"(FOLDER/x.xml:3: version="2" of <platform> is none that SimGrid reads; write "4.1")"},
    {R"(lat="50us")", R"(lat="50us" bb_lat="1ms")", 2,
     R"(FOLDER/x.xml:15: bb_lat="1ms" of <cluster id="west"> is that of a backbone without bandwidth; write bb_bw, too, or leave out both)"},
    {R"(bw="10Gbps")", R"(bw="10")", 2,
     R"(FOLDER/x.xml:15: bw="10" of <cluster id="west"> has no unit; write "10Mbps" or "10MBps", whichever is meant)"},
    {R"(value="0")", R"(value="64MiB")", 2,
     R"(FOLDER/x.xml:4: network/TCP-gamma="64MiB" in <config> is no number of bytes of at least 0; write one, without a unit)"},
    {R"(value="0")", R"(value="-1")", 2,
     R"(FOLDER/x.xml:4: network/TCP-gamma="-1" in <config> is no number of bytes of at least 0; write one, without a unit)"},
    {R"("0.45")", R"("45")", 2, R"(FOLDER/x.xml:11: mfu="45" is no share above 0 and up to 1, such as "0.45")"},
    {R"("250ms")", R"("250")", 2, R"(FOLDER/x.xml:16: step_time="250" is no time with a unit, such as "50ms")"},
    {R"("30s")", R"("30")", 2, R"(FOLDER/x.xml:9: notice="30" is no time with a unit, such as "30s")"},
    {R"("tcp_window_" value="")", R"("tcp_window" value="16")", 2,
     R"(FOLDER/x.xml:6: tcp_window="16" is no size with a unit, such as "16MiB")"},
    {R"("2")", R"("3")", 2, R"(FOLDER/x.xml:16: workers="3" in zone "west" asks for 3 hosts where there are 2)"},
    {R"("300Mbps")", R"("300Mbps" bandwidth_file="wan.txt")", 2,
     R"(FOLDER/x.xml:18: bandwidth_file="wan.txt" of <link id="wan"> names no file: FOLDER/wan.txt is not there; the name is relative to the scenario)"},
    {R"("SPLITDUPLEX")", R"("SPLITDUPLEX" state_file="lan.txt")", 2,
     R"(FOLDER/x.xml:18: state_file="lan.txt" of <link id="wan"> cannot be: SimGrid does not turn a SPLITDUPLEX link off and on; write the prop outages of the link, as outages="from 10min to 20min")"},
    // names
    {R"(<link_ctn id="lan")", R"(<link_ctn id="lann")", 2,
     R"(FOLDER/x.xml:13: id="lann" of <link_ctn> names no link; did you mean "lan"?)"},
    {R"(<link_ctn id="lan")", R"(<link_ctn id="lan" direction="UP")", 2,
     R"(FOLDER/x.xml:13: direction="UP" of <link_ctn id="lan"> belongs to no way of this link; leave it out, or give the link sharing_policy="SPLITDUPLEX")"},
    {R"( direction="UP")", "", 2,
     R"(FOLDER/x.xml:20: id="wan" of <link_ctn> has no direction, and the link is SPLITDUPLEX: it has one for each way; add direction="UP", or "DOWN" on the way back)"},
    {R"(dst="east-1")", R"(dst="east1")", 2,
     R"(FOLDER/x.xml:13: dst="east1" of <route> names no host or router; did you mean "east-1"?)"},
    {R"(src="east" dst="west")", R"(src="east" dst="wset")", 2,
     R"(FOLDER/x.xml:19: dst="wset" of <zoneRoute> names no zone; did you mean "west"?)"},
    {R"(gw_dst="west-gateway")", R"(gw_dst="west-gatway")", 2,
     R"(FOLDER/x.xml:19: gw_dst="west-gatway" of <zoneRoute> names no host or router; did you mean "west-gateway"?)"},
    {R"(value="east-0")", R"(value="eats-0")", 2,
     R"(FOLDER/x.xml:6: coordinator="eats-0" names no host; did you mean "east-0"?)"},
    {R"(<link id="lan")", R"(<lnk id="lan")", 2, R"(FOLDER/x.xml:12: unknown element <lnk>; did you mean "link"?)"},
    {R"(bandwidth="300Mbps")", R"(bandwith="300Mbps")", 2,
     R"(FOLDER/x.xml:18: unknown attribute "bandwith" of <link>; did you mean "bandwidth"?)"},
    {R"("workers")", R"("wrkers")", 2,
     R"(FOLDER/x.xml:8: unknown prop "wrkers" in <zone id="east">; did you mean "workers"?)"},
    // a trace that takes a machine, and a store on it
    {R"(<prop id="store" value="east-0"/>)", "", 2,
     R"(FOLDER/x.xml:9: zone "east" has a preemption and names no store: its first host "east-0" would keep path states, and stay when the CSV has no machine; add the prop store with a host that is to stay, or with "none")"},
};

/// Rows and lines of a CSV of available machines.
constexpr Refused kInTraces[] = {
    {"0,1\n", "0,1\n300,\n", 3,
     R"(FOLDER/spot.csv:3: an empty cell; write how many machines are available, 0 where none is)"},
    {"0,1\n", "0,1\n300\n600,1\n", 3, R"(FOLDER/spot.csv:3: a row has two cells, as in 300,4; here are 1)"},
    {"0,1\n", "0,-1\n", 3,
     R"(FOLDER/spot.csv:2: the count "-1" is no whole number from 0; write how many machines are available)"},
    {"0,1\n", "0,many\n", 3,
     R"(FOLDER/spot.csv:2: the count "many" is no whole number from 0; write how many machines are available)"},
    {"0,1\n", "0,1.5\n", 3,
     R"(FOLDER/spot.csv:2: the count "1.5" is no whole number from 0; write how many machines are available)"},
    {"0,1\n", "0,1\nsoon,1\n", 3,
     R"(FOLDER/spot.csv:3: the time "soon" is no number of seconds from 0; write seconds since the run began)"},
    {"0,1\n", "0,1\n300,0\n300,1\n", 3,
     R"(FOLDER/spot.csv:4: the time 300 does not come after 300; times rise from row to row)"},
    {"0,1\n", "0,1\n300,0\n200,1\n", 3,
     R"(FOLDER/spot.csv:4: the time 200 does not come after 300; times rise from row to row)"},
    {"0,1\n", "5,1\n", 3, R"(FOLDER/spot.csv:2: the first time is 5; it must be 0)"},
    {"0,1\n", "", 3, R"(FOLDER/spot.csv: no rows; a row is a time in seconds and a count: 0,4)"},
    {"time_s,available\n", "seconds,machines\n", 3,
     R"(FOLDER/spot.csv:1: the header is "seconds,machines"; it must be time_s,available)"},
};

/// Lines of one of SimGrid's profiles, of a link's state.
constexpr Refused kInProfiles[] = {
    {"0 1\n", "0 1\n40 2\n", 3, R"(FOLDER/lan.txt:2: the value 2 is not a state; write 1 for on and 0 for off)"},
    {"0 1\n", "0 1\n40 off\n", 3, R"(FOLDER/lan.txt:2: the value "off" is no number; write it without a unit)"},
    {"0 1\n", "0 1\n40\n", 3,
     R"(FOLDER/lan.txt:2: a line of a profile is a time in seconds and a value, as in 40 1; this has 1 word)"},
    {"0 1\n", "40 0\n30 1\n", 3, R"(FOLDER/lan.txt:2: the time 30 comes before 40; times rise from line to line)"},
    {"0 1\n", "-1 1\n", 3,
     R"(FOLDER/lan.txt:1: the time "-1" is no number of seconds from 0; write it without a unit)"},
    {"0 1\n", "PERIODICITY 30\n0 1\n40 0\n", 3,
     R"(FOLDER/lan.txt:1: PERIODICITY 30 is over before the last time, 40; write a longer one)"},
};

/// Options of the command line.
constexpr Refused kInOptions[] = {
    {"--cfg", "network/bandwidth-factor:0", 2,
     R"(--cfg network/bandwidth-factor:0: the value is no number above 0; write one)"},
    {"--cfg", "network/crosstraffic", 2,
     R"(--cfg network/crosstraffic is no KEY:VALUE; write it as in --cfg network/model:LV08)"},
    {"--without", "west-7", 2,
     R"(--without west-7 is no site or host with workers or evaluators; did you mean "west-0"?)"},
    {"--without", "wst", 2, R"(--without wst is no site or host with workers or evaluators; did you mean "west"?)"},
    {"--set", "inner.bacth=3", 2, R"(--set inner.bacth=3: unknown key "bacth" in [inner]; did you mean "batch"?)"},
};

}  // namespace

TEST_CASE("the input that the others change is in order", "[sim]") {
  std::string folder;
  const Outcome outcome = run(sound(), folder);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.error, !Catch::Contains("warning"));
}

TEST_CASE("what cannot be in a scenario is refused, with file, line, what is wrong and what to write", "[sim]") {
  for (const Refused& refused : kInScenarios) {
    Input input = sound();
    const std::string whole = std::string(refused.piece).starts_with("\"tcp") ? kSound : input.scenario;
    input.scenario = replaced(whole, refused.piece, refused.instead);
    check_refused(refused, input);
  }
}

TEST_CASE("what cannot be in a trace of machines is refused, with file and line", "[sim]") {
  for (const Refused& refused : kInTraces) {
    Input input = sound();
    input.spot = replaced(input.spot, refused.piece, refused.instead);
    check_refused(refused, input);
  }
}

TEST_CASE("what cannot be in one of SimGrid's profiles is refused, with file and line", "[sim]") {
  for (const Refused& refused : kInProfiles) {
    Input input = sound();
    input.lan = replaced(input.lan, refused.piece, refused.instead);
    check_refused(refused, input);
  }
}

TEST_CASE("what cannot be among a simulation's options is refused", "[sim]") {
  for (const Refused& refused : kInOptions) {
    Input input = sound();
    input.options = {refused.piece, refused.instead};
    check_refused(refused, input);
  }
}

TEST_CASE("of SimGrid's own errors the sentence is told, and no list that it begins", "[sim]") {
  Input input = sound();
  input.scenario =
      replaced(input.scenario, "radical=\"0-1\"", "radical=\"0-1\" topology=\"TORUS\" topo_parameters=\"2\"");
  input.scenario = replaced(input.scenario, "gw_dst=\"west-gateway\"", "gw_dst=\"west-gatway\"");
  check_refused(
      {"gw_dst", "of a torus", 2,
       "FOLDER/x.xml:19: zoneRoute gw_dst='west-gatway' does name a node. (SimGrid; docs/scenarios.md says how to "
       "write a scenario)"},
      input);
}

TEST_CASE("a host without a role and a link on no route are warned of, and the run goes on", "[sim]") {
  const auto warnings = [](const Input& input) {
    std::string folder;
    const Outcome outcome = run(input, folder);
    CHECK(outcome.status == 0);
    std::string found;
    std::istringstream lines(outcome.error);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("warning: ")) found += replaced(line, folder, "FOLDER") + "\n";
    }
    return found;
  };
  Input input = sound();
  input.scenario = replaced(input.scenario, R"(<prop id="workers" value="all"/>)", "");
  input.scenario =
      replaced(input.scenario, R"(<prop id="preemption" value="spot.csv"/><prop id="notice" value="30s"/>)", "");
  const std::string one_host = "warning: FOLDER/x.xml: 1 host has no role; give it one, or take it out: east-1\n";
  CHECK(warnings(input) ==
        one_host +
            "warning: FOLDER/x.xml: 1 link is on no route between hosts with a role; write the route, or take it " +
            "out: lan\n");
  input.options = {"--without", "west-0"};
  CHECK(warnings(input) == one_host);
}

}  // namespace dipaco::testing
