// dipaco-run --backend gloo at two sites: what goes through the store of one.

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "tests/gloo/started.hpp"

namespace dipaco::testing {
namespace {

/// As a preflight prints it: 1 kB a second from hub to home, and back.
constexpr const char* kThinLines = R"({
  "links": [{"from": "hub-0", "to": "home-0", "round_trip_s": 0.001, "bytes_per_s": 1000.0},
            {"from": "home-0", "to": "hub-0", "round_trip_s": 0.001, "bytes_per_s": 1000.0}],
  "processes": [{"name": "hub-0", "site": "hub"}, {"name": "home-0", "site": "home"}],
  "sites": []})";

/// The executors that stepped a module, as events.csv tells.
std::set<std::string> owners_in(const std::string& out) {
  std::istringstream lines(read_text(out + "/events.csv"));
  std::set<std::string> owners;
  for (std::string line; std::getline(lines, line);) {
    const auto cells = split(line, ',');  // time_s, event, node
    if (cells[1] == "module_stepped") owners.emplace(cells[2]);
  }
  return owners;
}

}  // namespace

TEST_CASE("with known lines executors behind thin ones own no module, and the parameters are those of one process",
          "[gloo][learn]") {
  const bool known = GENERATE(true, false);
  const Words shape{"--set", "topology.levels=2x4"};
  Started run;
  const std::string file = run.folder() / "lines.json";
  std::ofstream(file) << kThinLines;
  Words coordinator = joined(shape, {"--site", "hub", "--role", "store", "--role", "executor", "--events", "on",
                                     "--expect", "executors=2,stores=2,workers=3"});
  if (known) coordinator = joined(coordinator, {"--lines", file});
  run.node("coordinator", coordinator);
  run.node("store", joined(shape, {"--site", "home", "--role", "executor"}));
  run.node("worker", joined(shape, {"--site", "hub"}));
  for (int k = 0; k < 2; ++k) run.node("worker", joined(shape, {"--site", "home"}));
  for (Spawned& process : run.all()) {
    const int status = process.wait(kProcessLimit);
    INFO(process.log());
    REQUIRE(status == 0);
  }
  CHECK(hash_in(run.out() + "/summary.json") == loopback_hash(shape));
  CHECK(owners_in(run.out()).size() == (known ? 1 : 2));
}

TEST_CASE("--lines that no preflight has printed, or with run.known_lines=off, end a process with status 2", "[gloo]") {
  Started run;
  const std::string file = run.folder() / "lines.json";
  std::ofstream(file) << kThinLines;
  const auto refused = [&](const Words& more, const std::string& why) {
    Spawned& process = run.node("coordinator", more);
    CHECK(process.wait(kProcessLimit) == 2);
    CHECK_THAT(process.log(), Catch::Contains(why));
  };
  refused({"--lines", Started::run_file()}, "tiny.cfg is not what \"dipaco-run preflight --format json\" prints");
  refused({"--lines", "nowhere.json"}, "nowhere.json is not what");
  refused({"--lines", file, "--set", "run.known_lines=off"}, "leave one of them out");
  refused({"--expect", "workers=-1"}, "workers=N");
}

TEST_CASE("workers far from executors share their store's cache and sums, and end with the parameters of one process",
          "[gloo][learn]") {
  const Words shape{"--set", "topology.levels=2x4"};
  Started run;
  run.node("coordinator",
           joined(shape, {"--site", "hub", "--role", "store", "--role", "executor", "--expect", "stores=2"}));
  run.node("store", joined(shape, {"--site", "home"}));
  for (int k = 0; k < 4; ++k) run.node("worker", joined(shape, {"--site", "home"}));
  for (Spawned& process : run.all()) {
    const int status = process.wait(kProcessLimit);
    INFO(process.log());
    REQUIRE(status == 0);
  }
  const auto summary = nlohmann::json::parse(read_text(run.out() + "/summary.json"));
  CHECK(summary["parameters_hash"] == loopback_hash(shape));
  const auto count = [&](const std::string& kind) { return summary.value("messages_" + kind, std::int64_t{0}); };
  // Eight paths with two shared modules each, three outer steps: each gradient goes to its owner or to the store, and
  // from there singly or in a sum, of which each is answered.
  const std::int64_t to_store = count("relayed_gradient") - count("gradient_taken") + count("gradient_sum");
  CHECK(count("outer_gradient") + to_store == 8 * 2 * 3);
  CHECK(to_store > 0);
  CHECK(count("fetch_through_cache") > 0);
  CHECK(count("fetch_failed") == 0);
  CHECK(count("path_module") == 0);  // none was made again
}

}  // namespace dipaco::testing
