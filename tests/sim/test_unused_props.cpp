// Props that say nothing of a scenario's machines are warned of; those that do are not.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backends/sim/scenario/options.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"
#include "core/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

/// Of two sites, a and b, with a worker and a machine for files each.
std::vector<std::string> unused(const std::string& zone, const std::string& worker, const std::string& files,
                                const std::string& attribute = "") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "s.xml";
  write_file(path, R"(<?xml version="1.0"?><platform version="4.1"><zone id="w" routing="Full">
    <zone id="a" routing="Full"><prop id="workers" value="a0"/><prop id="store" value="a1"/>)" +
                       zone + "<host id=\"a0\" speed=\"1Gf\">" + worker + "</host><host id=\"a1\" speed=\"1Gf\" " +
                       attribute + ">" + files + R"(</host></zone><zone id="b" routing="Full">
    <prop id="workers" value="b0"/><prop id="store" value="b1"/><host id="b0" speed="1Gf"/><host id="b1" speed="1Gf"/>
    </zone></zone></platform>)");
  const ScenarioFile file(path);
  const std::vector<PlatformZone> zones{
      {"a", {{"a0", 1e9, 1}, {"a1", 1e9, 1}}}, {"b", {{"b0", 1e9, 1}, {"b1", 1e9, 1}}}, {"c", {{"c0", 1e9, 1}}}};
  return place(file, read_options(file), zones).unused_props;
}

std::string prop(const std::string& name, const std::string& value) {
  return "<prop id=\"" + name + "\" value=\"" + value + "\"/>";
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("what a machine trains on or how fast says nothing of one that trains nothing", "[sim]") {
  const std::string all = prop("mfu", "0.3") + prop("jitter", "0.1") + prop("memory", "80GiB");
  CHECK(unused("", "", all) == Names{"a1.memory", "a1.mfu", "a1.jitter"});
  CHECK(unused("", "", prop("step_time", "1s")) == Names{"a1.step_time"});
  CHECK(unused("", all, "").empty());
  CHECK(unused(all, "", "").empty());  // of the zone's other machines
  CHECK(unused("", "", prop("disk", "2GBps") + prop("intake", "1GBps")).empty());
  CHECK(unused("", "", all + prop("role", "evaluator")) == Names{"a1.memory"});  // of what trains
  const std::string files_only = "</zone><zone id=\"c\" routing=\"Full\"><prop id=\"store\" value=\"c0\"/>" + all;
  CHECK(unused("", "", "</host>" + files_only + "<host id=\"c0\" speed=\"1Gf\">") ==
        Names{"c.memory", "c.mfu", "c.jitter"});
  const std::string idle = "</host><host id=\"a2\" speed=\"1Gf\">" + all;  // it is an unused host
  CHECK(unused("", "", idle).empty());
}

TEST_CASE("how long machines take to start up says nothing where none goes off", "[sim]") {
  const std::string start_up = prop("start_up", "5min");
  CHECK(unused(start_up, "", "") == Names{"a.start_up"});
  CHECK(unused("", start_up, "") == Names{"a0.start_up"});
  CHECK(unused("<trace_connect kind=\"HOST_AVAIL\" trace=\"t\" element=\"a0\"/>", start_up, "").empty());
  CHECK(unused(start_up + prop("mtbf", "5h") + prop("mttr", "1h"), "", "").empty());
  CHECK(unused(start_up + prop("failures", "exponential 5h") + prop("repair", "1h"), "", "").empty());
  CHECK(unused(start_up + prop("capacity", "0 from 1h to 2h"), "", "").empty());
  CHECK(unused(prop("capacity", "0 from 1h to 2h"), "", start_up) == Names{"a1.start_up"});
  CHECK(unused(prop("outages", "from 1h to 2h"), "", start_up).empty());
  CHECK(unused("", "", start_up, R"(state_file="off.txt")").empty());
}

}  // namespace dipaco::testing
