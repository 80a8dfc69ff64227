// A loopback run whose process is killed goes on in another one.

#include <catch2/catch.hpp>
#include <iostream>

#include "core/base/random.hpp"
#include "core/runtime/ledger.hpp"
#include "core/runtime/loopback_run.hpp"
#include "core/runtime/state_files.hpp"
#include "tests/resume/killed.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/made_up_text.hpp"

namespace dipaco::testing {
namespace {

constexpr int kKills = 50;
constexpr std::uint64_t kLongest = 60'000;  ///< microseconds that a process may have
constexpr std::uint64_t kSeed = 4;

/// The process's `number`th time, of one that is to be killed.
std::chrono::microseconds drawn_time(int number) {
  return std::chrono::microseconds(draw_below(kLongest, kSeed, Draw::jitter, static_cast<std::uint64_t>(number)));
}

/// What nodes left at the end of a run can be read, and ends where the run did.
void check_state(const RunPlan& plan, const std::filesystem::path& state) {
  CHECK(used(state).whole);
  DirectoryStorage coordinator(state / "node-0");
  CHECK(Ledger(coordinator, plan).state().trained.has_value());
  DirectoryStorage store(state / "node-1");
  const StateFiles states(plan, store);
  for (int p = 0; p < plan.topology.paths(); ++p) CHECK(states.newest(PathId{p}) == plan.config.outer.steps);
}

}  // namespace

TEST_CASE("a loopback run killed at 50 random moments ends with the parameters of an undisturbed one", "[resume]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 150;
  made.config.evaluate.every = 7;
  const RunPlan plan = made.plan();
  const std::string undisturbed =
      *in_child_for(kWhole, [&] { return run_loopback(plan, {.workers = 3}).result.parameters_hash; });
  REQUIRE(undisturbed.size() == 32);
  int kills = 0;
  int runs = 0;
  int processes = 0;
  for (; kills < kKills; ++runs) {
    const TemporaryFolder folder;
    std::optional<std::string> hash;
    while (!hash) {
      REQUIRE(++processes < 20 * kKills);
      const std::int32_t workers = 1 + processes % 4;
      hash = in_child_for(kills < kKills ? drawn_time(processes) : kWhole, [&] {
        return run_loopback(plan, {.workers = workers, .state = folder.path()}).result.parameters_hash;
      });
      if (!hash) ++kills;
    }
    CHECK(*hash == undisturbed);
    check_state(plan, folder.path());
  }
  std::cout << kills << " kills in " << runs << " runs" << std::endl;
}

TEST_CASE("a run says from which outer step it goes on, and one that begins says nothing", "[resume]") {
  MadeUpRun made("2x2", "blocks:0");
  const RunPlan plan = made.plan();
  const TemporaryFolder folder;
  CHECK_FALSE(run_loopback(plan, {.state = folder.path()}).resumed_from.has_value());
  const LoopbackRun again = run_loopback(plan, {.state = folder.path()});
  CHECK(again.resumed_from == 4);
  CHECK_FALSE(run_loopback(plan, {}).resumed_from.has_value());
}

}  // namespace dipaco::testing
