// Hosts of a small world go off at events of its undisturbed run, for good or for a while: one in so many of all,
// drawn.

#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <sstream>

#include "backends/loopback/run.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "core/faults/parse.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/half_policy.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// The run that is disturbed: two levels, modules that paths share and modules of their own, an evaluation on the way.
void shape_sweep(RunConfig& config) {
  config.outer.steps = 3;
  config.inner.steps = 4;
  config.evaluate.every = 2;
  config.run.replicas = 2;
  config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
}

/// The same with each value sent once, and none for an evaluation.
void shape_counted(RunConfig& config) {
  shape_sweep(config);
  config.run.replicas = 1;
  config.run.site_sums = false;
  config.evaluate.every = 0;
}

/// So long is a host off: the first is back before it is missed.
const std::vector<std::optional<Seconds>> kAWhile{Seconds(0.5), Seconds(20)};
const std::vector<std::optional<Seconds>> kForGoodToo{Seconds(0.5), Seconds(20), std::nullopt};

std::string name_of(const HostOutage& outage) {
  return outage.host + " off at " + format_number(outage.from.count()) +
         (outage.until ? " until " + format_number(outage.until->count()) : " for good");
}

/// All of `worlds` in children; says how many ended with `hash`, and how the first few others did.
std::map<std::string, int> endings(const RunPlan& plan, const std::vector<WorldOptions>& worlds,
                                   const std::string& hash) {
  const auto told = in_children(worlds.size(), [&](std::size_t k) { return hash_of(run_world(plan, worlds[k])); });
  std::map<std::string, int> counts;
  for (std::size_t k = 0; k < told.size(); ++k) {
    if (told[k] == hash) {
      ++counts["same"];
      continue;
    }
    std::string what = told[k];
    for (const HostOutage& outage : worlds[k].outages) what += " [" + name_of(outage) + "]";
    ++counts[what];
  }
  return counts;
}

/// Of all tasks, where they are equally long.
std::int64_t contributions_of(const RunPlan& plan) {
  std::int64_t all = 0;
  for (const ModuleId module : plan.topology.modules()) {
    const std::int64_t paths = std::ssize(plan.topology.paths_through(module));
    if (paths > 1) all += paths * plan.config.outer.steps;
  }
  return all;
}

/// Whether a run ends with all inner steps done and every contribution applied or dropped, and none dropped twice.
std::string account_of(const RunPlan& plan, const WorldOptions& options) {
  const RunResult result = run_world(plan, options).result;
  const ContributionCounts& counts = result.contributions;
  const std::int64_t expected = plan.config.inner.dylu ? counts.given : contributions_of(plan);
  if (result.parameters_hash.size() != 32) return "no hash";
  if (counts.settled != expected || counts.given != expected) return std::to_string(counts.settled) + " settled";
  if (result.inner_steps != plan.timetable.inner_steps()) return std::to_string(result.inner_steps) + " inner steps";
  return "adds up";
}

}  // namespace

TEST_CASE("a run ends with the same parameters whichever host goes off, at any event, for good or for a while",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_sweep(made.config);
  const RunPlan plan = made.plan();
  const std::string hash = world_hash(plan, {});
  REQUIRE(hash.size() == 32);
  const auto times = event_times(plan);
  REQUIRE(times.size() > 50);
  const auto worlds = worlds_of(outages_at(times, one_in(), kForGoodToo));
  const auto counts = endings(plan, worlds, hash);
  for (const auto& [ending, count] : counts) std::cout << count << " runs: " << ending << std::endl;
  CHECK(counts.size() == 1);
  CHECK(counts.begin()->first == "same");
  std::cout << worlds.size() << " runs, drawn from each host off at each of " << times.size() << " events" << std::endl;
}

TEST_CASE("a run that re-shards ends with the same parameters, router and shards, whichever host goes off",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_sweep(made.config);
  made.config.outer.steps = 5;
  made.config.outer.learning_rate = 1;  // the best versions of three paths of four are two behind the last
  made.config.routing.reshard_at = "1,2";
  made.config.evaluate.early_stopping = true;
  made.config.data.holdout_fraction = 0.2;
  const RunPlan plan = made.plan();
  REQUIRE(in_child([&] {
            return std::to_string(stopping_early(plan, run_world(plan, {}).simulated.report.model, 2));
          }) == "3");
  const std::string hash = world_hash(plan, {});
  REQUIRE(hash.size() == 32);
  REQUIRE(in_child([&] { return loopback_hash(plan, {.workers = 2}); }) == hash);
  const auto times = event_times(plan);
  const auto worlds = worlds_of(outages_at(times, 4 * one_in(), kForGoodToo));
  const auto counts = endings(plan, worlds, hash);
  for (const auto& [ending, count] : counts) std::cout << count << " runs: " << ending << std::endl;
  CHECK(counts.size() == 1);
  CHECK(counts.begin()->first == "same");
}

TEST_CASE("while its coordinator is off and on again, a run sends no outer gradient and no state twice", "[failure]") {
  MadeUpRun made("2x2");
  shape_counted(made.config);
  const RunPlan plan = made.plan();
  // On lines on which outer gradients and states are under way for a while.
  const WorldOptions world{.link = "bandwidth=\"5kBps\" latency=\"30ms\""};
  const auto values_sent = [&plan](const WorldOptions& options) {
    const Traffic& traffic = run_world(plan, options).simulated.report.traffic;
    std::string sent;
    for (const MessageKind kind :
         {MessageKind::outer_gradient, MessageKind::put_path_state, MessageKind::path_module}) {
      sent += std::to_string(traffic.messages_by_kind.at(static_cast<std::size_t>(kind))) + " ";
    }
    return sent;
  };
  const auto each = std::to_string(2 * plan.topology.paths() * plan.config.outer.steps);  // a gradient for each level
  const auto states = std::to_string(plan.topology.paths() * plan.config.outer.steps);
  REQUIRE(in_child([&] { return values_sent(world); }) == each + " " + states + " 0 ");
  std::vector<WorldOptions> worlds;
  for (const HostOutage& outage : outages_at(event_times(plan, world), one_in(), kAWhile)) {
    if (outage.host == "h0") worlds.push_back({.outages = {outage}, .link = world.link});
  }
  REQUIRE(!worlds.empty());
  const auto told = in_children(worlds.size(), [&](std::size_t k) { return values_sent(worlds[k]); });
  for (std::size_t k = 0; k < told.size(); ++k) {
    INFO(name_of(worlds[k].outages[0]));
    CHECK(told[k] == each + " " + states + " 0 ");
  }
}

TEST_CASE("an executor that is parted from the coordinator, or from all while nothing comes, has nothing made again",
          "[failure]") {
  MadeUpRun made("2x2");
  shape_counted(made.config);
  made.config.run.place = "spread";
  const RunPlan plan = made.plan();
  const WorldOptions world{.workers = {1, 1, 1}};  // a task takes four seconds: three paths' at once, then the fourth's
  const std::string hash = world_hash(plan, world);
  const auto ended = [&plan](const WorldOptions& options) {
    const WorldEnd end = run_world(plan, options);
    const auto sent = [&](MessageKind kind) {
      return std::to_string(end.simulated.report.traffic.messages_by_kind.at(static_cast<std::size_t>(kind)));
    };
    return hash_of(end) + " " + sent(MessageKind::outer_gradient) + " " + sent(MessageKind::path_module);
  };
  const std::string all = std::to_string(2 * plan.topology.paths() * plan.config.outer.steps);  // one for each level
  REQUIRE(in_child([&] { return ended(world); }) == hash + " " + all + " 0");
  for (const char* cut : {"executor:0-coordinator:0@time=4.2s,for=3.6s", "executor:0@time=4.2s,for=3.6s",
                          "executor:1-coordinator:0@time=1s,for=30s"}) {
    INFO(cut);
    WorldOptions parted = world;
    parted.faults = parse_faults(FaultKind::cut, cut);
    CHECK(in_child([&] { return ended(parted); }) == hash + " " + all + " 0");
  }
}

TEST_CASE("a store that is off while its site's workers compute gets what they make, and no other site's does",
          "[failure]") {
  MadeUpRun made("2x2");
  shape_counted(made.config);
  made.config.run.place = "spread";
  const RunPlan plan = made.plan();
  const WorldOptions world{.workers = {1, 1, 1}};  // a task takes four seconds
  const auto crosses = [](const Event& event) {    // a state that a worker of the one site puts to the other's store
    const bool east = event.peer == NodeId{5} || event.peer == NodeId{6};
    return event.kind == EventKind::transfer && event.node == NodeId{east ? 2 : 1} &&
           static_cast<MessageKind>(event.detail) == MessageKind::put_path_state;
  };
  const auto crossing = [&](const WorldOptions& options) {
    return std::to_string(std::ranges::count_if(run_world(plan, options).simulated.events, crosses));
  };
  REQUIRE(in_child([&] { return crossing(world); }) == "0");
  const std::string started = in_child([&] {
    std::string times;
    for (const Event& event : run_world(plan, world).simulated.events) {
      if (event.kind == EventKind::task_started) times += format_number(event.time.count()) + " ";
    }
    return times;
  });
  std::istringstream times(started);
  for (double time = 0; times >> time;) {
    INFO(time);
    WorldOptions disturbed = world;
    disturbed.outages = {{.host = "h1", .from = Seconds(time + 0.5), .until = Seconds(time + 1.5)}};
    CHECK(in_child([&] { return crossing(disturbed); }) == "0");
  }
}

TEST_CASE("without replicas, and with modules that are all shared, every host may go off and come back", "[failure]") {
  MadeUpRun made("2x2");
  shape_sweep(made.config);
  made.config.run.replicas = 1;
  made.config.evaluate.every = 1;
  made.config.outer.drop = GENERATE(0.0, 0.5);  // 0.5: half of the outer gradients are not given
  const RunPlan plan = made.plan();
  const std::string hash = world_hash(plan, {});
  REQUIRE(hash.size() == 32);
  const auto times = event_times(plan);
  const auto worlds = worlds_of(outages_at(times, one_in(), kAWhile));
  const auto counts = endings(plan, worlds, hash);
  for (const auto& [ending, count] : counts) std::cout << count << " runs: " << ending << std::endl;
  CHECK(counts.size() == 1);
  CHECK(counts.begin()->first == "same");
}

namespace {

/// Without rounds the parameters depend on the order of contributions, which losses change; the account does not.
/// @param workers  see WorldOptions
void check_accounts(const RunPlan& plan, const std::vector<double>& workers = {}) {
  const auto times = event_times(plan, {.workers = workers});
  REQUIRE(times.size() > 50);
  const std::string hash = world_hash(plan, {.workers = workers});
  CHECK(hash.size() == 32);
  CHECK(hash == world_hash(plan, {.workers = workers}));
  auto worlds = worlds_of(outages_at(times, one_in(), kForGoodToo));
  for (WorldOptions& world : worlds) world.workers = workers;
  const auto told = in_children(worlds.size(), [&](std::size_t k) { return account_of(plan, worlds[k]); });
  std::map<std::string, int> counts;
  for (std::size_t k = 0; k < told.size(); ++k) {
    ++counts[told[k] + (told[k] == "adds up" ? "" : " [" + name_of(worlds[k].outages.front()) + "]")];
  }
  for (const auto& [ending, count] : counts) std::cout << count << " runs: " << ending << std::endl;
  CHECK(counts.size() == 1);
  CHECK(counts.begin()->first == "adds up");
}

void shape_without_rounds(RunConfig& config) {
  shape_sweep(config);
  config.evaluate.every = 0;
}

}  // namespace

TEST_CASE("a run under a policy that drops what is late ends whichever host goes off, at any event", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_without_rounds(made.config);
  check_accounts(plan_without_rounds(made));
}

TEST_CASE("an asynchronous run ends with each contribution applied or dropped whichever host goes off", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_without_rounds(made.config);
  made.config.outer.policy = "asynchronous";
  made.config.outer.max_staleness = 2;
  made.config.outer.staleness_weight = "polynomial";
  made.config.outer.grace = Seconds(2);
  made.config.outer.delay_compensation = 0.5;  // reads the version that a contribution began with
  check_accounts(made.plan());
}

TEST_CASE("a run whose tasks are as long as machines are fast ends with all inner steps whichever host goes off",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_without_rounds(made.config);
  made.config.outer.policy = "asynchronous";
  made.config.outer.grace = Seconds(0.5);
  made.config.inner.steps = 8;
  made.config.inner.dylu = true;
  check_accounts(made.plan(), {4, 2, 0.5});
}

TEST_CASE("a run whose modules step at a quorum ends with each contribution applied or dropped whichever host goes off",
          "[failure]") {
  MadeUpRun made("2x4", "blocks:0");
  shape_without_rounds(made.config);
  made.config.outer.policy = "quorum";
  made.config.outer.quorum = 3;  // of four paths of the first level's modules; of two of the second's: both
  made.config.outer.max_staleness = 1;
  check_accounts(made.plan());
}

}  // namespace dipaco::testing
