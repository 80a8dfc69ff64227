#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// Two sites with a store, an executor and a worker each; the link between them has the state that wan.txt says. An
/// inner step takes 5 s, so an outer step with two paths a worker takes 40 s.
constexpr const char* kCutOffSites = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="w" routing="Full"><prop id="coordinator" value="a"/>
<zone id="x" routing="Full"><prop id="step_time" value="5s"/>
<prop id="workers" value="b"/><prop id="store" value="a"/><prop id="executors" value="a"/>
<host id="a" speed="1Tf"/><host id="b" speed="1Tf"/>
<link id="ab" bandwidth="1Gbps" latency="1ms"/><route src="a" dst="b"><link_ctn id="ab"/></route></zone>
<zone id="y" routing="Full"><prop id="step_time" value="5s"/>
<prop id="workers" value="d"/><prop id="store" value="c"/><prop id="executors" value="c"/>
<host id="c" speed="1Tf"/><host id="d" speed="1Tf"/>
<link id="cd" bandwidth="1Gbps" latency="1ms"/><route src="c" dst="d"><link_ctn id="cd"/></route></zone>
<link id="wan" bandwidth="100Mbps" latency="10ms" state_file="wan.txt"/>
<zoneRoute src="x" dst="y" gw_src="a" gw_dst="c"><link_ctn id="wan"/></zoneRoute></zone>
</platform>
)";

struct CutOff {
  Outcome outcome;
  nlohmann::json summary;
};

/// @param wan  the link's states over time
CutOff run_with(const std::string& wan, std::vector<std::string> more = {}) {
  const TemporaryFolder folder;
  write_file(folder.path() / "x.xml", kCutOffSites);
  write_file(folder.path() / "wan.txt", wan);
  std::vector<std::string> words{folder.path() / "x.xml", "--run", DIPACO_SOURCE_DIR "/scenarios/runs/tiny.cfg"};
  words.insert(words.end(), {"--learn", "off", "--out", folder.path() / "out"});
  words.insert(words.end(), {"--set", "liveness.deadline=600s", "--set", "run.schedule=first_free"});
  words.insert(words.end(), more.begin(), more.end());
  CutOff run{.outcome = run_built("dipaco-sim", words), .summary = {}};
  run.summary = nlohmann::json::parse(read_text(folder.path() / "out" / "summary.json"));
  return run;
}

/// What the last line says between "no progress for 600 s: " and its end; "" for another line.
std::string why(const Outcome& outcome) {
  std::smatch found;
  const std::regex line("dipaco-sim: no progress for 600 s: ([^\n]*)\n$");
  return std::regex_search(outcome.error, found, line) ? found[1].str() : "";
}

}  // namespace

TEST_CASE("a site that is cut off for good ends the run with status 4, which says what path waits for whom", "[sim]") {
  // It has outer gradients that modules elsewhere lack; then the states of paths, too.
  constexpr const char* kWaits[][2] = {
      {"0 1\n30 0\n",
       "path 3, outer step 1, waits for module 1.1 of executor 1 on a, to and from which nothing is under way"},
      {"0 1\n45 0\n", "path 1, outer step 1, waits for store 4 at site 1, which has its state and is not there,"},
      {"0 1\n65 0\n", "path 3, outer step 1, waits for a store at site 1, which has its state and is not there,"},
  };
  for (const auto& [wan, waits] : kWaits) {
    CAPTURE(wan);
    const CutOff run = run_with(wan);
    CHECK(run.outcome.status == 4);
    const std::string reason = why(run.outcome);
    CHECK_THAT(reason, Catch::StartsWith("1 workers, 1 of 2 executors and 1 of 2 stores are there; " +
                                         std::string(waits) + " since "));
    CHECK_THAT(reason, Catch::EndsWith(" s; start the executors and stores that are missing"));
    CHECK_THAT(reason, Catch::Contains("; if the nodes of site 1 run, mend the line to them, which has brought nothing "
                                       "for "));
    CHECK_THAT(run.outcome.output, Catch::Contains("\n  end         not finished, for want of progress; see below\n"));
    CHECK(run.summary["finished"] == false);
    CHECK(run.summary["why_unfinished"] == "no progress for 600 s: " + reason);
    CHECK(run.summary["simulated_s"] > 600);
  }
}

TEST_CASE("a site that comes back in time ends the run as if nothing had been", "[sim]") {
  const CutOff run = run_with("0 1\n30 0\n400 1\n");
  CAPTURE(run.outcome.error);
  CHECK(run.outcome.status == 0);
  CHECK(run.summary["tasks_completed"] == 12);
}

}  // namespace dipaco::testing
