// Runs with drawn faults of all kinds, on the simulator and on loopback; pairs of losses.

#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <map>

#include "backends/loopback/run.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "tests/failure/drawn_faults.hpp"
#include "tests/failure/small_world.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

/// `often` runs, an eighth under AddressSanitizer, or as many as scripts/torture.sh asks for, from the seed it says.
std::size_t runs(std::size_t often) {
  const char* const asked = std::getenv("DIPACO_TORTURE_RUNS");
#ifdef DIPACO_SANITIZED
  often /= 8;
#endif
  return asked == nullptr ? often : static_cast<std::size_t>(parse_integer(asked).value());
}

std::size_t first_seed() {
  const char* const asked = std::getenv("DIPACO_TORTURE_SEED");
  return asked == nullptr ? 0 : static_cast<std::size_t>(parse_integer(asked).value());
}

void shape_random(RunConfig& config) {
  config.outer.steps = 6;
  config.inner.steps = 4;
  config.evaluate.every = 2;
  config.run.replicas = 2;
  config.liveness = {.period = Seconds(1), .limit = Seconds(3), .deadline = Seconds(3600)};
}

/// The same with everything that takes place beside training: new shards twice, and early stopping, whose best versions
/// lie so far behind the last that what is kept for them alone must be kept.
void shape_with_phases(RunConfig& config) {
  shape_random(config);
  config.outer.learning_rate = 1;  // soon worse on the hold-outs
  config.routing.reshard_at = "1,2";
  config.evaluate.early_stopping = true;
  config.data.holdout_fraction = 0.2;
}

bool says_why(const std::string& ending) {
  return ending.find("no progress for 3600 s") != std::string::npos || ending.find("coordinator") != std::string::npos;
}

/// Says how many runs came to what, and fails for each that has neither the parameters nor an excuse.
void judge(const std::vector<std::string>& endings, const std::string& hash,
           const std::function<bool(std::size_t)>& may_fail, const std::function<std::string(std::size_t)>& story) {
  int same = 0;
  int excused = 0;
  for (std::size_t k = 0; k < endings.size(); ++k) {
    if (endings[k] == hash) {
      ++same;
    } else if (may_fail(k) && says_why(endings[k])) {
      ++excused;
    } else {
      FAIL_CHECK("run " << k << " ended with " << endings[k] << " under " << story(k));
    }
  }
  std::cout << endings.size() << " runs: " << same << " with the same parameters, " << excused
            << " ended with a reason where the losses left no way" << std::endl;
}

/// How many of the four paths' best versions lie three or more before the last.
std::string far_back(const RunPlan& plan) {
  return in_child([&] { return std::to_string(stopping_early(plan, run_world(plan, {}).simulated.report.model, 3)); });
}

/// Of run `k`. One run of three has an evaluator; in the others workers evaluate.
FaultSpace space_of(std::size_t k, Seconds duration) {
  return {.evaluators = k % 3 == 2 ? 1 : 0, .duration = duration};
}

FaultPlan draw(std::size_t k, Seconds duration) { return draw_faults(first_seed() + k, space_of(k, duration)); }

void judge_drawn(const std::vector<std::string>& endings, const std::string& hash, Seconds duration) {
  judge(
      endings, hash, [&](std::size_t k) { return may_be_impossible(draw(k, duration), space_of(k, duration)); },
      [&](std::size_t k) { return describe(draw(k, duration)); });
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

/// @param workers  see WorldOptions
void simulate_with_faults(const RunPlan& plan, std::size_t number, const std::vector<double>& workers = {}) {
  const std::string hash = world_hash(plan, {});
  INFO(hash);
  REQUIRE(hash.size() == 32);
  const Seconds duration = event_times(plan, {.workers = workers}).back();
  const auto endings = in_children(runs(number), [&](std::size_t k) {
    const bool evaluator = space_of(k, duration).evaluators > 0;
    return hash_of(run_world(
        plan, {.faults = draw(k, duration), .evaluator = evaluator, .workers = workers, .lines = told_of_lines(k)}));
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
                                .faults = draw(k, duration)});
  });
  judge_drawn(endings, hash, duration);
}

}  // namespace

TEST_CASE("200 simulated runs with drawn faults end with the same parameters, or say why there is no way",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_random(made.config);
  simulate_with_faults(made.plan(), 200);
}

TEST_CASE("200 simulated runs of unequal workers end with the same parameters under drawn faults, or say why not",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_random(made.config);
  simulate_with_faults(made.plan(), 200, {4, 2, 0.5});
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
    options.faults = draw(k, world(k).duration);
    options.lines = told_of_lines(k / worlds.size());
    options.evaluator = space_of(k, world(k).duration).evaluators > 0;
    return hash_of(run_world(world(k).plan, options));
  });
  judge(
      endings, hash,
      [&](std::size_t k) { return may_be_impossible(draw(k, world(k).duration), space_of(k, world(k).duration)); },
      [&](std::size_t k) { return world(k).options.link + ": " + describe(draw(k, world(k).duration)); });
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
  simulate_with_faults(made.plan(), 100);
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
  simulate_with_faults(made.plan(), 100);
}

TEST_CASE("50 simulated runs of one drawn path at a time end with the same parameters under drawn faults",
          "[failure]") {
  MadeUpRun made("2x2", "blocks:0");
  shape_with_phases(made.config);
  made.config.routing.sample_paths = 0.25;
  simulate_with_faults(made.plan(), 50);
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
