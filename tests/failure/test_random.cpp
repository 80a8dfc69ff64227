// Runs with drawn faults of all kinds, on the simulator and on loopback; pairs of losses.

#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <map>

#include "backends/loopback/run.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "tests/failure/drawn_runs.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// The same with everything that takes place beside training: new shards twice, and early stopping, whose best versions
/// lie so far behind the last that what is kept for them alone must be kept.
void shape_with_phases(RunConfig& config) {
  shape_random(config);
  config.outer.learning_rate = 1;  // soon worse on the hold-outs
  config.routing.reshard_at = "1,2";
  config.evaluate.early_stopping = true;
  config.data.holdout_fraction = 0.2;
}

/// How many of the four paths' best versions lie three or more before the last.
std::string far_back(const RunPlan& plan) {
  return in_child([&] { return std::to_string(stopping_early(plan, run_world(plan, {}).simulated.report.model, 3)); });
}

/// What a run on slow machines and thin lines draws: they change when things happen, and no parameter.
struct SlowWorld {
  RunPlan plan;
  WorldOptions options;
  Seconds duration{};  ///< undisturbed
};

/// Each schedule, with backup tasks and all workers at one site, and without, and lines on which a state of 7 kB takes
/// from 0.01 s to twice the liveness limit.
std::vector<SlowWorld> slow_worlds(MadeUpRun& made) {
  std::vector<SlowWorld> worlds;
  for (const char* schedule : {"earliest_finish", "first_free"}) {
    for (const bool backups : {false, true}) {
      for (const char* rate : {"1kBps", "5kBps", "20kBps", "1MBps"}) {
        made.config.run.schedule = schedule;
        made.config.run.backup_tasks = backups;
        SlowWorld& world = worlds.emplace_back(SlowWorld{.plan = made.plan()});
        world.options.workers = {4, 2, 0.5};
        world.options.crowded = backups;
        world.options.link = "bandwidth=\"" + std::string(rate) + "\" latency=\"30ms\"";
        world.duration = event_times(world.plan, world.options).back();
      }
    }
  }
  return worlds;
}

/// What the coordinator of every second run is told of the lines: from 100 bytes to 10 MB a second, true or not.
std::shared_ptr<const KnownLines> told_of_lines(std::size_t k) {
  if (k % 2 == 0) return nullptr;
  Draws draws(first_seed() + k);
  const auto rate = [&draws] { return std::pow(10, 2 + draws.below(6)); };
  const double there = rate();
  return said_to_carry(there, rate());
}

/// With each schedule, two runs behind the other.
/// @param workers  see WorldOptions
void simulate_with_faults(MadeUpRun& made, std::size_t number, const std::vector<double>& workers = {}) {
  const RunPlan plan = made.plan();
  made.config.run.schedule = "first_free";
  const RunPlan first_free = made.plan();
  const std::string hash = world_hash(plan, {});
  INFO(hash);
  REQUIRE(hash.size() == 32);
  const Seconds duration = event_times(plan, {.workers = workers}).back();
  const auto endings = in_children(runs(number), [&](std::size_t k) {
    const bool evaluator = space_of(k, duration).evaluators > 0;
    return hash_of(run_world(
        k % 4 < 2 ? plan : first_free,
        {.faults = faults_of(k, duration), .evaluator = evaluator, .workers = workers, .lines = told_of_lines(k)}));
  });
  judge_drawn(endings, hash, duration);
}

void run_loopback_with_faults(const RunPlan& plan, std::size_t number) {
  const std::string hash = in_child([&] { return loopback_hash(plan, {.workers = 2}); });
  INFO(hash);
  REQUIRE(hash.size() == 32);
  const Seconds duration(60);
  const auto endings = in_children(runs(number), [&](std::size_t k) {
    const FaultSpace space = space_of(k, duration);
    return loopback_hash(plan, {.workers = space.workers,
                                .executors = space.executors,
                                .evaluators = space.evaluators,
                                .stores = space.stores,
                                .faults = faults_of(k, duration)});
  });
  judge_drawn(endings, hash, duration);
}

}  // namespace

TEST_CASE("200 simulated runs with drawn faults end with the same parameters, or say why there is no way",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_random(made.config);
  simulate_with_faults(made, 200);
}

TEST_CASE("200 simulated runs of unequal workers end with the same parameters under drawn faults, or say why not",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_random(made.config);
  simulate_with_faults(made, 200, {4, 2, 0.5});
}

TEST_CASE("200 simulated runs on thin lines end with the same parameters under drawn faults, or say why not",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_random(made.config);
  const std::string hash = world_hash(made.plan(), {});
  REQUIRE(hash.size() == 32);
  const auto worlds = slow_worlds(made);
  const auto world = [&](std::size_t k) -> const SlowWorld& { return worlds[k % worlds.size()]; };
  const auto endings = in_children(runs(200), [&](std::size_t k) {
    WorldOptions options = world(k).options;
    options.faults = faults_of(k, world(k).duration);
    options.lines = told_of_lines(k / worlds.size());
    options.evaluator = space_of(k, world(k).duration).evaluators > 0;
    return hash_of(run_world(world(k).plan, options));
  });
  judge(
      endings, hash,
      [&](std::size_t k) { return may_be_impossible(faults_of(k, world(k).duration), space_of(k, world(k).duration)); },
      [&](std::size_t k) { return world(k).options.link + ": " + describe(faults_of(k, world(k).duration)); });
}

TEST_CASE("200 loopback runs with drawn faults end with the same parameters, or say why there is no way", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_random(made.config);
  run_loopback_with_faults(made.plan(), 200);
}

TEST_CASE("a run that re-shards and stops early ends alike on loopback and in a simulation", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  const auto hashes = [&made] {
    const RunPlan plan = made.plan();
    return std::pair(world_hash(plan, {}), in_child([&] { return loopback_hash(plan, {.workers = 3}); }));
  };
  shape_with_phases(made.config);
  const auto [simulated, real] = hashes();
  CHECK(simulated.size() == 32);
  CHECK(simulated == real);
  made.config.routing.reshard_at = "3,5";
  const auto [less, less_real] = hashes();
  CHECK(less == less_real);
  CHECK(less != simulated);
  made.config.routing.sample_paths = 0.5;
  const auto [sampled, sampled_real] = hashes();
  CHECK(sampled.size() == 32);
  CHECK(sampled == sampled_real);
  CHECK(sampled != less);
  made.config.routing.overlap = 2;
  const auto [overlapping, overlapping_real] = hashes();
  CHECK(overlapping.size() == 32);
  CHECK(overlapping == overlapping_real);
  CHECK(overlapping != sampled);
}

TEST_CASE("100 simulated runs that re-shard and stop early end with the same parameters under drawn faults",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_with_phases(made.config);
  REQUIRE(far_back(made.plan()) == "3");
  simulate_with_faults(made, 100);
}

TEST_CASE("100 loopback runs that re-shard and stop early end with the same parameters under drawn faults",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_with_phases(made.config);
  run_loopback_with_faults(made.plan(), 100);
}

TEST_CASE("100 simulated runs of drawn paths end with the same parameters under drawn faults", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_with_phases(made.config);
  made.config.routing.sample_paths = 0.5;
  REQUIRE(far_back(made.plan()) == "2");
  simulate_with_faults(made, 100);
}

TEST_CASE("50 simulated runs of one drawn path at a time end with the same parameters under drawn faults",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_with_phases(made.config);
  made.config.routing.sample_paths = 0.25;
  simulate_with_faults(made, 50);
}

TEST_CASE("100 simulated runs with dropped paths end with the same parameters under drawn faults", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_random(made.config);
  made.config.outer.drop = 0.5;
  simulate_with_faults(made, 100);
}

TEST_CASE("500 pairs of losses end with the same parameters, or say why there is no way", "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_random(made.config);
  const RunPlan plan = made.plan();
  const std::string hash = world_hash(plan, {});
  const auto times = event_times(plan);
  const auto draw = [&](std::size_t number) {
    const std::uint64_t seed = first_seed() + number;
    std::vector<HostOutage> pair;
    for (std::uint64_t k = 0; k < 2; ++k) {
      const auto below = [&](std::uint64_t bound, std::uint64_t what) {
        return draw_below(bound, seed, Draw::jitter, 10 * k + what);
      };
      HostOutage outage{.host = "h", .from = times[below(times.size(), 0)], .until = std::nullopt};
      const std::uint64_t host = below(kHosts, 1);
      outage.host += std::to_string(host);
      const std::uint64_t lasting = below(3, 2);
      if (lasting < 2 || host == 0) outage.until = outage.from + Seconds(lasting == 0 ? 0.5 : 20);
      pair.push_back(outage);
    }
    return pair;
  };
  const auto endings =
      in_children(runs(500), [&](std::size_t seed) { return hash_of(run_world(plan, {.outages = draw(seed)})); });
  judge(
      endings, hash,
      [&](std::size_t seed) {
        // What only the two hosts with stores have may be lost with them.
        const auto pair = draw(seed);
        const auto keeps = [](const HostOutage& outage) { return outage.host == "h1" || outage.host == "h2"; };
        return keeps(pair[0]) && keeps(pair[1]) && pair[0].host != pair[1].host && (!pair[0].until || !pair[1].until);
      },
      [&](std::size_t seed) {
        std::string story;
        for (const HostOutage& outage : draw(seed)) {
          story += outage.host + " off at " + format_number(outage.from.count()) +
                   (outage.until ? " until " + format_number(outage.until->count()) : " for good") + "; ";
        }
        return story;
      });
}

}  // namespace dipaco::testing
