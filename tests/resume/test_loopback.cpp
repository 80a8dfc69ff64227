// A loopback run whose process is killed goes on in another one.

#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <thread>

#include "backends/loopback/run.hpp"
#include "core/base/hash.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "core/state/ledger.hpp"
#include "core/state/state_files.hpp"
#include "tests/resume/killed.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {
namespace {

constexpr int kKills = 50;
constexpr std::chrono::microseconds kLongest(60'000);  ///< that a process may have
constexpr std::uint64_t kSeed = 4;

/// The process's `number`th time, of one that is to be killed.
std::chrono::microseconds drawn_time(int number, std::chrono::microseconds longest) {
  const auto bound = static_cast<std::uint64_t>(longest.count());
  return std::chrono::microseconds(draw_below(bound, kSeed, Draw::jitter, static_cast<std::uint64_t>(number)));
}

/// What nodes left at the end of a run can be read, and ends where the run did.
void check_state(const RunPlan& plan, const std::filesystem::path& state) {
  CHECK(used(state).whole);
  DirectoryStorage coordinator(state / "node-0");
  CHECK(Ledger(coordinator, plan).state().trained.has_value());
  DirectoryStorage store(state / "node-1");
  const StateFiles states(plan, store);
  for (int p = 0; p < plan.topology.paths(); ++p) {
    const auto last = static_cast<std::int32_t>(plan.config.outer.steps);
    CHECK(states.newest(PathId{p}) == plan.timetable.state_version(PathId{p}, last));
  }
}

/// What nodes left of the model: its files and their hashes.
std::string model_in(const std::filesystem::path& state) {
  std::map<std::string, std::string> files;
  for (const auto& node : std::filesystem::directory_iterator(state)) {
    const DirectoryStorage storage(node.path());
    for (const std::string& key : storage.list("model/")) files[key] = hash_hex(*storage.get(key));
  }
  std::string told;
  for (const auto& [file, hash] : files) told += "\n" + file + " " + hash;
  return told;
}

/// What a run in `state` comes to.
std::string tell(const RunPlan& plan, std::int32_t workers, const std::filesystem::path& state) {
  const RunResult result = run_loopback(plan, {.workers = workers, .state = state}).result;
  std::string told = result.parameters_hash + " " + result.routing_hash;
  for (const Score& score : result.scores) told.append(1, ' ').append(format_number(score.nats));
  for (const auto& [version, score] : result.evaluations) told.append(1, ' ').append(format_number(score.nats));
  return told + model_in(state);
}

/// Runs again and again, each in a process that is killed, until there were `kills`; each run comes to the same.
/// @param longest  that a process may have
/// @returns what an undisturbed run comes to
std::string kill_again_and_again(const RunPlan& plan, int kills_wanted, std::chrono::microseconds longest) {
  const TemporaryFolder whole;
  const std::string undisturbed = *in_child_for(kWhole, [&] { return tell(plan, 3, whole.path()); });
  REQUIRE_THAT(undisturbed, !Catch::StartsWith("threw"));
  int kills = 0;
  int runs = 0;
  int processes = 0;
  for (; kills < kills_wanted; ++runs) {
    const TemporaryFolder folder;
    std::optional<std::string> told;
    while (!told) {
      REQUIRE(++processes < 20 * kills_wanted);
      const std::int32_t workers = 1 + processes % 4;
      told = in_child_for(kills < kills_wanted ? drawn_time(processes, longest) : kWhole,
                          [&] { return tell(plan, workers, folder.path()); });
      if (!told) ++kills;
    }
    CHECK(*told == undisturbed);
    check_state(plan, folder.path());
  }
  std::cout << kills << " kills in " << runs << " runs" << std::endl;
  return undisturbed;
}

}  // namespace

TEST_CASE("a loopback run killed at 50 random moments ends with the parameters of an undisturbed one", "[resume]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 150;
  made.config.evaluate.every = 7;
  kill_again_and_again(made.plan(), kKills, kLongest);
}

TEST_CASE("a loopback run that re-shards, draws paths and stops early ends alike after 30 kills", "[resume]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 60;
  made.config.outer.learning_rate = 1;
  made.config.evaluate.every = 7;
  made.config.evaluate.early_stopping = true;
  made.config.data.holdout_fraction = 0.2;
  made.config.routing.reshard_at = "5,10,15";
  made.config.routing.sample_paths = 0.5;
  const std::string undisturbed = kill_again_and_again(made.plan(), 30, 2 * kLongest);
  CHECK_THAT(undisturbed, Catch::Contains("-version-19 "));  // of sixty
}

TEST_CASE("a loopback run whose outer gradients are dropped ends alike after 20 kills", "[resume]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 60;
  made.config.outer.drop = 0.5;
  made.config.evaluate.every = 7;
  kill_again_and_again(made.plan(), 20, 2 * kLongest);
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

TEST_CASE("a run goes on with another evaluate.every, and evaluates what is still kept", "[resume]") {
  constexpr std::int32_t kSteps = 30;
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = kSteps;
  const auto every = [&made](std::int64_t number) {
    made.config.evaluate.every = number;
    return made.plan();
  };
  const auto scores = [](const LoopbackRun& run) {
    std::map<std::int32_t, double> nats;
    for (const auto& [version, score] : run.result.evaluations) nats[version] = score.nats;
    return nats;
  };
  const RunPlan each = every(1);
  const LoopbackRun undisturbed = run_loopback(each, {.test_clock = true});
  const auto right = scores(undisturbed);
  REQUIRE(right.size() == kSteps - 1);
  for (const auto& [before, after] : {std::pair{0, 7}, {5, 10}, {4, 6}, {3, 0}}) {
    INFO("every " << before << ", then " << after);
    const TemporaryFolder folder;
    std::atomic<bool> stop{false};
    const auto stop_in_the_middle = [&stop](const RunProgress& progress) {
      if (progress.outer_step < kSteps / 2) return;
      stop = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // longer than nobody looks at `stop`
    };
    const RunPlan first = every(before);
    REQUIRE(
        run_loopback(first, {.state = folder.path(), .progress = stop_in_the_middle, .stop = &stop, .test_clock = true})
            .stopped);
    const RunPlan second = every(after);
    const LoopbackRun resumed = run_loopback(second, {.state = folder.path(), .test_clock = true});
    CHECK(resumed.result.parameters_hash == undisturbed.result.parameters_hash);
    const auto made_scores = scores(resumed);
    for (const auto& [version, nats] : made_scores) CHECK(nats == right.at(version));
    const std::int32_t gone = *resumed.resumed_from + 4;  // no path was so far
    for (std::int32_t version = 1; version < kSteps; ++version) {
      const bool due = after > 0 && version % after == 0;
      const bool was_due = before > 0 && version % before == 0;
      if (due && (was_due || version > gone)) CHECK(made_scores.contains(version));
    }
  }
}

}  // namespace dipaco::testing
