// Runs under a policy without rounds: each module counts its versions for itself.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>

#include "backends/loopback/run.hpp"
#include "core/checkpoint/checkpoint.hpp"
#include "core/report/attempts/contribution_totals.hpp"
#include "core/storage/directory_storage.hpp"
#include "tests/loopback/finished_modules.hpp"
#include "tests/support/half_policy.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

std::uint64_t sent(const LoopbackRun& run, MessageKind kind) {
  return run.traffic.messages_by_kind[static_cast<std::size_t>(kind)];
}

}  // namespace

TEST_CASE("a run whose modules step at half of their contributions and drop the rest ends", "[loopback]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 4;
  const RunPlan plan = plan_without_rounds(made);
  for (const std::int32_t workers : {1, 2, 4}) {
    const auto done = run_loopback(plan, {.workers = workers, .test_clock = true});
    CHECK(done.result.parameters_hash.size() == 32);
    // Two modules of two levels, each shared by two paths with four tasks; the first level's block is the paths' own.
    CHECK(done.result.contributions.settled == 4 * 2 * 4);
  }
}

TEST_CASE("an asynchronous run steps each module once for each contribution, and drops what is too stale",
          "[loopback]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 4;
  made.config.outer.policy = "asynchronous";
  for (const std::int64_t bound : {0, 1}) {
    made.config.outer.max_staleness = bound;
    const auto done = run_loopback(made.plan(), {.workers = 3, .test_clock = true});
    CHECK(done.result.contributions.settled == 4 * 2 * 4);
    CHECK(sent(done, MessageKind::nobody_else) == 0);
    if (bound == 0) CHECK(done.result.contributions.dropped == 0);
    std::int64_t stepped = 0;
    for (const Event& event : done.events) stepped += event.kind == EventKind::module_stepped ? 1 : 0;
    CHECK(stepped == done.result.contributions.settled - done.result.contributions.dropped);
    ContributionTotals all;
    for (const auto& [outer_step, contributions] : contribution_totals(done.events)) {
      CHECK(contributions.applied + contributions.dropped == 2 * 4);
      all += contributions;
    }
    CHECK(all.applied == stepped);
    CHECK(all.dropped == done.result.contributions.dropped);
    if (bound > 0) CHECK(all.most_stale <= bound);
  }
}

TEST_CASE(
    "with all paths as quorum, or a grace that is longer than the run, a run ends with the bits of a synchronous one",
    "[loopback]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 4;
  made.config.evaluate.every = 0;
  const std::string synchronous = run_loopback(made.plan(), {.workers = 3, .test_clock = true}).result.parameters_hash;
  made.config.outer.policy = "quorum";
  const auto same = [&](std::int64_t quorum, Seconds grace, double share = 0) {
    made.config.outer.quorum = quorum;
    made.config.outer.grace = grace;
    made.config.outer.grace_share = share;
    const auto done = run_loopback(made.plan(), {.workers = 3, .test_clock = true});
    CHECK(done.result.contributions.settled == 4 * 2 * 4);
    return done.result.parameters_hash == synchronous;
  };
  CHECK(same(2, Seconds(0)));
  CHECK(same(1, Seconds(1e6)));
  CHECK(same(1, Seconds(0), 1e6));
  CHECK_FALSE(same(1, Seconds(0)));
  CHECK_FALSE(same(1, Seconds(0.01)));
}

TEST_CASE("an asynchronous run whose paths all begin together ends where a synchronous one does", "[loopback]") {
  MadeUpRun made("shared:4");
  made.config.outer.steps = 4;
  made.config.evaluate.every = 0;
  const auto modules = [&](const char* policy, Seconds grace, std::int32_t workers = 4) {
    made.config.outer.policy = policy;
    made.config.outer.grace = grace;
    const TemporaryFolder state;
    run_loopback(made.plan(), {.workers = workers, .state = state.path(), .test_clock = true});
    return modules_in(state.path());
  };
  const auto apart = [](const auto& some, const auto& others) {
    double most = 0;
    for (const auto& [name, values] : some) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        most = std::max(most, std::abs(double{values[k]} - double{others.at(name).at(k)}));
      }
    }
    return most;
  };
  const auto synchronous = modules("synchronous", Seconds(0));
  REQUIRE(synchronous.size() == 1);
  // Four steps of Delayed Nesterov with c = 0 come to one of Nesterov on the mean; float rounds them elsewhere.
  CHECK(apart(synchronous, modules("asynchronous", Seconds(1e6))) < 1e-6);
  CHECK(apart(synchronous, modules("asynchronous", Seconds(1e6), 2)) < 1e-6);  // two paths begin, and wait for a worker
  CHECK(apart(synchronous, modules("asynchronous", Seconds(0))) > 1e-4);
}

TEST_CASE("modules whose quorum nobody completes step with what they have, and the run ends", "[loopback]") {
  MadeUpRun made("4x4");
  made.config.outer.steps = 6;
  made.config.outer.policy = "quorum";
  std::uint64_t words = 0;
  for (const std::int64_t quorum : {2, 3, 4}) {
    for (const std::int32_t workers : {1, 2, 3, 5}) {
      made.config.outer.quorum = quorum;
      const auto done = run_loopback(made.plan(), {.workers = workers, .test_clock = true});
      CHECK(done.result.contributions.settled == 16 * 2 * 6);
      CHECK(done.result.contributions.dropped == 0);
      words += sent(done, MessageKind::nobody_else);
      for (const MessageKind again : {MessageKind::gradients_lost, MessageKind::query_path, MessageKind::how_far}) {
        CHECK(sent(done, again) == 0);  // nothing was disturbed
      }
    }
  }
  CHECK(words > 0);  // at least one of these came to such a standstill
}

TEST_CASE("delay compensation changes what an asynchronous run ends with, and not how", "[loopback]") {
  MadeUpRun made("2x2", "blocks:0");
  made.config.outer.steps = 4;
  made.config.outer.policy = "asynchronous";
  std::set<std::string> hashes;
  for (const double strength : {0.0, 0.5}) {
    made.config.outer.delay_compensation = strength;
    const auto done = run_loopback(made.plan(), {.workers = 3, .test_clock = true});
    CHECK(done.result.contributions.settled == 4 * 2 * 4);
    CHECK(done.result.contributions.dropped == 0);
    hashes.insert(done.result.parameters_hash);
  }
  CHECK(hashes.size() == 2);
}

TEST_CASE("without rounds, a finished module says by which owner its version was made - in rounds it does not",
          "[loopback]") {
  MadeUpRun made("2x2");
  for (const bool rounds : {true, false}) {
    const TemporaryFolder folder;
    const RunPlan plan = rounds ? made.plan() : plan_without_rounds(made);
    run_loopback(plan, {.workers = 2, .state = folder.path(), .test_clock = true});
    int files = 0;
    for (const auto& node : std::filesystem::directory_iterator(folder.path())) {
      const DirectoryStorage storage(node.path());
      for (const std::string& key : storage.list("model/")) {
        if (!key.starts_with("model/module-")) continue;
        const Checkpoint checkpoint = decode_checkpoint(*storage.get(key), key);
        ++files;
        CHECK(checkpoint.facts.contains("owner") == !rounds);
        if (rounds) CHECK(checkpoint.integer("version", key) == 4);
        if (!rounds) CHECK(checkpoint.integer("owner", key) == 1);  // nobody was lost
      }
    }
    CHECK(files == 4);
  }
}

}  // namespace dipaco
