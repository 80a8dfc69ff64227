// Links that are off for a time.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "tests/programs/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

using Catch::Matchers::Contains;

/// A shipped scenario; nothing is learned.
struct OutageRun {
  explicit OutageRun(const std::string& scenario, const std::vector<std::string>& set) {
    const TemporaryFolder folder;
    std::vector<std::string> words{DIPACO_SOURCE_DIR "/scenarios/" + scenario + ".xml",
                                   "--learn",
                                   "off",
                                   "--progress",
                                   "off",
                                   "--out",
                                   folder.path() / "out"};
    for (const std::string& one : set) words.insert(words.end(), {"--set", one});
    outcome = run_built("dipaco-sim", words);
    if (outcome.status == 0) summary = nlohmann::json::parse(read_text(folder.path() / "out/summary.json"));
  }

  double duration() const { return summary["simulated_s"]; }

  Outcome outcome;
  nlohmann::json summary;
};

}  // namespace

TEST_CASE("a link may be off for a time - what waits for it goes on once it is back", "[sim]") {
  const OutageRun undisturbed("diloco_2dc", {});
  REQUIRE(undisturbed.outcome.status == 0);
  const OutageRun off("diloco_2dc", {"link:washington-dallas.outages=from 2min to 4min"});
  INFO(off.outcome.error);
  REQUIRE(off.outcome.status == 0);
  CHECK(off.summary["tasks_completed"] == undisturbed.summary["tasks_completed"]);
  CHECK(off.duration() > undisturbed.duration() + 30);
  CHECK(off.duration() < undisturbed.duration() + 240);
  // Too short to be taken for a loss.
  const OutageRun blink("diloco_2dc", {"link:washington-dallas.outages=from 2min to 122s"});
  REQUIRE(blink.outcome.status == 0);
  CHECK(blink.summary["tasks_requeued"] == 0);
  CHECK(blink.duration() < undisturbed.duration() + 10);
}

TEST_CASE("a site whose lines are off is lost until they are back", "[sim]") {
  const OutageRun off("wan_4dc", {"link:*-tokyo.outages=from 10min to 25min"});
  INFO(off.outcome.error);
  REQUIRE(off.outcome.status == 0);
  CHECK(off.summary["tasks_completed"] == 80);
  const OutageRun good("wan_4dc", {"link:*-tokyo.outages=from 10min", "run.replicas=2"});
  INFO(good.outcome.error);
  CHECK(good.outcome.status == 0);  // others have its states
  CHECK(OutageRun("wan_4dc", {"link:*-tokyo.outages=from 10min"}).outcome.status == 4);
  // Two sites that see all others, but not each other.
  const OutageRun two("wan_4dc", {"link:dallas-tokyo.outages=from 10min"});
  CHECK(two.outcome.status == 4);
  CHECK_THAT(
      two.outcome.error,
      Contains(
          "note: link dallas-tokyo_DOWN and 1 other are off, as outages or a state_file say: no message crosses\n"));
}

TEST_CASE("outages of a link that cannot be are refused, and disks of a zone without hosts", "[sim]") {
  const auto refused = [](const std::string& setting) {
    const OutageRun run("wan_4dc", {setting});
    CHECK(run.outcome.status == 2);
    return run.outcome.error;
  };
  CHECK_THAT(refused("link:dallas-tokyo.outages=soon"), Contains("--set link:dallas-tokyo.outages=soon: \"soon\""));
  CHECK_THAT(refused("link:dallas-tokyo.outages=from 20min to 10min"), Contains("from 20min to 10min"));
  CHECK_THAT(refused("link:dallas-tokio.outages=from 20min"), Contains("did you mean"));
  CHECK_THAT(refused("link:dallas-tokyo.outage=from 20min"), Contains("did you mean \"outages\""));
  CHECK_THAT(refused("zone:wan.disk=2GBps"), Contains("zone \"wan\" has no host of its own for its props of hosts"));
  const Outcome shared = run_built("dipaco-sim", {"data-parallel", DIPACO_SOURCE_DIR "/scenarios/wan_4dc.xml", "--set",
                                                  "link:dallas-tokyo.outages=from 20min"});
  CHECK(shared.status == 2);
  CHECK_THAT(shared.error, Contains("has outages, and data-parallel takes a step's time as it is"));
}

}  // namespace dipaco::testing
