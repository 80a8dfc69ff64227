#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "backends/loopback/run.hpp"
#include "core/outer/nesterov.hpp"
#include "core/outer/outer_gradient.hpp"
#include "core/trainer/schedule.hpp"
#include "tests/loopback/finished_modules.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco {
namespace {

std::string hash_with(const RunPlan& plan, std::int32_t workers, std::int32_t executors = 1) {
  return run_loopback(plan, {.workers = workers, .executors = executors}).result.parameters_hash;
}

}  // namespace

TEST_CASE("3, P and 2P workers, and one or two executors, end with the same parameters", "[loopback]") {
  MadeUpRun run("2x4", "blocks:0");  // §3.4
  const RunPlan plan = run.plan();
  const std::string hash = hash_with(plan, 3);
  CHECK(hash.size() == 32);
  CHECK(hash_with(plan, 8) == hash);
  CHECK(hash_with(plan, 16) == hash);
  CHECK(hash_with(plan, 1, 2) == hash);
}

TEST_CASE("another seed ends with other parameters", "[loopback]") {
  MadeUpRun run("2x2");
  const std::string hash = hash_with(run.plan(), 2);
  run.config.run.seed = 2;
  CHECK(hash_with(run.plan(), 2) != hash);
}

TEST_CASE("all paths through all modules equal a DiLoCo written in ten lines", "[loopback]") {
  MadeUpRun run("shared:3");  // §4.3
  const RunPlan plan = run.plan();
  const auto prepared = run.prepared();
  // DiLoCo, straight from its paper's algorithm, in doubles and without any of our runtime.
  std::vector<double> theta(prepared->start.parameters.begin(), prepared->start.parameters.end());
  std::vector<double> velocity(theta.size(), 0.0);
  std::vector<TrainState> replicas(3, prepared->start);
  double all = 0;
  for (const Shard& shard : prepared->shards) all += size_of(shard, *prepared->tokens);
  for (std::int64_t t = 0; t < run.config.outer.steps; ++t) {
    std::vector<double> delta(theta.size(), 0.0);
    for (std::int32_t i = 0; i < 3; ++i) {
      TrainState& replica = replicas[static_cast<std::size_t>(i)];
      replica.parameters.assign(theta.begin(), theta.end());
      const std::atomic<bool> stop{false};
      plan.learner->inner_steps(plan.learner->shard(PathId{i}), replica, InnerSteps{run.config.inner.steps}, {}, stop);
      const double weight = size_of(prepared->shards[static_cast<std::size_t>(i)], *prepared->tokens) / all;
      for (std::size_t k = 0; k < theta.size(); ++k) delta[k] += weight * (theta[k] - replica.parameters[k]);
    }
    for (std::size_t k = 0; k < theta.size(); ++k) {
      velocity[k] = 0.9 * velocity[k] + delta[k];
      theta[k] -= 0.7 * (delta[k] + 0.9 * velocity[k]);
    }
  }
  const auto modules = modules_of(run, plan);
  REQUIRE(modules.size() == 1);
  double worst = 0;
  for (std::size_t k = 0; k < theta.size(); ++k)
    worst = std::max(worst, std::abs(theta[k] - modules.begin()->second[k]));
  CHECK(worst < 1e-6);
}

TEST_CASE("paths that exchange gradients equal a data-parallel AdamW written in some lines", "[loopback]") {
  MadeUpRun run("shared:3");  // §4.5
  run.config.outer.policy = "gradients";
  run.config.inner.steps = 1;
  run.config.outer.steps = 12;
  const RunPlan plan = run.plan();
  const auto prepared = run.prepared();
  const InnerOptions& inner = run.config.inner;
  const TrainState& start = prepared->start;
  std::vector<double> theta(start.parameters.begin(), start.parameters.end());
  std::vector<double> first(theta.size(), 0.0);
  std::vector<double> second(start.second_moment.begin(), start.second_moment.end());
  double all = 0;
  for (const Shard& shard : prepared->shards) all += size_of(shard, *prepared->tokens);
  for (std::int64_t t = 0; t < run.config.outer.steps; ++t) {
    std::vector<double> gradient(theta.size(), 0.0);
    for (std::int32_t i = 0; i < 3; ++i) {
      const InnerSteps step = start.step + InnerSteps{t};
      const auto& reader = plan.learner->shard(PathId{i})->reader;
      const std::vector<float> at(theta.begin(), theta.end());
      const BatchGradient one = run.trainer->gradient(at, reader.batch(step), step);
      const double weight = size_of(prepared->shards[static_cast<std::size_t>(i)], *prepared->tokens) / all;
      for (std::size_t k = 0; k < theta.size(); ++k) gradient[k] += weight * one.values[k];
    }
    const auto count = static_cast<double>(start.step.value + t + 1);
    const double rate = learning_rate_at(inner, start.step + InnerSteps{t}, start.step + InnerSteps{12});
    for (std::size_t k = 0; k < theta.size(); ++k) {
      first[k] = inner.beta1 * first[k] + (1 - inner.beta1) * gradient[k];
      second[k] = inner.beta2 * second[k] + (1 - inner.beta2) * gradient[k] * gradient[k];
      const double m = first[k] / (1 - std::pow(inner.beta1, count));
      const double v = second[k] / (1 - std::pow(inner.beta2, count));
      theta[k] -= rate * (m / (std::sqrt(v) + inner.epsilon) + inner.weight_decay * theta[k]);
    }
  }
  const auto modules = modules_of(run, plan);
  REQUIRE(modules.size() == 1);
  const auto& trained = modules.begin()->second;
  for (std::size_t k = 0; k < theta.size(); ++k) REQUIRE(trained[k] == Approx(theta[k]).margin(1e-6));
}

TEST_CASE("paths that exchange gradients end alike with any number of workers, own modules among them", "[loopback]") {
  MadeUpRun run("2x2", "blocks:0");
  run.config.outer.policy = "gradients";
  run.config.inner.steps = 1;
  const RunPlan plan = run.plan();
  const std::string hash = hash_with(plan, 1);
  CHECK(hash.size() == 32);
  CHECK(hash_with(plan, 4, 2) == hash);
}

TEST_CASE("one level equals P separate runs of one path each, bit for bit", "[loopback]") {
  MadeUpRun flat("flat:3");  // §2.6.3
  const RunPlan plan = flat.plan();
  const auto modules = modules_of(flat, plan);
  REQUIRE(modules.size() == 3);
  const std::atomic<bool> stop{false};
  for (std::int32_t path = 0; path < 3; ++path) {
    TrainState state = flat.prepared()->start;
    std::vector<float> velocity(state.parameters.size(), 0.0F);
    for (std::int64_t t = 0; t < flat.config.outer.steps; ++t) {
      std::vector<float> before = state.parameters;
      plan.learner->inner_steps(plan.learner->shard(PathId{path}), state, InnerSteps{flat.config.inner.steps}, {},
                                stop);
      OuterAccumulator mean(before.size());
      mean.add(outer_gradient(before, state.parameters), 1.0, "path");
      nesterov_step(before, velocity, mean.mean(1.0), {.rate = 0.7, .momentum = 0.9});
      state.parameters = before;
    }
    CHECK(modules.at("module-0." + std::to_string(path)) == state.parameters);
  }
}

TEST_CASE("the first path of a flat run equals a run of that path alone", "[loopback]") {
  MadeUpRun flat("flat:3");
  MadeUpRun one("shared:1");
  auto prepared = std::make_shared<Prepared>(*one.prepared());
  prepared->start = flat.prepared()->start;
  prepared->shards = {flat.prepared()->shards[0]};
  const auto alone = modules_of(one, make_plan(one.config, prepared, one.trainer));
  CHECK(alone.at("module-0.0") == modules_of(flat, flat.plan()).at("module-0.0"));
}

TEST_CASE("messages of outer gradients and modules carry no byte of path-specific modules", "[loopback]") {
  MadeUpRun run("2x2", "blocks:0,3;embedding");
  const RunPlan plan = run.plan();
  const auto done = run_loopback(plan, {.workers = 4});
  const auto paths = static_cast<std::uint64_t>(plan.topology.paths());
  const auto outer = static_cast<std::uint64_t>(run.config.outer.steps);
  const std::uint64_t shared = 4 * shared_size(plan.topology, plan.layout, PathId{0});
  REQUIRE(specific_size(plan.topology, plan.layout, PathId{0}) > 0);
  // A gradient message: kind, module (8), path and outer step (8), base (8), inner steps (4), epoch (4), awaits,
  // format, count (8), then the floats; two modules a path.
  const auto gradients = done.traffic.by_kind[static_cast<std::size_t>(MessageKind::outer_gradient)];
  CHECK(gradients.value == outer * paths * (shared + 2 * (1 + 8 + 8 + 8 + 4 + 4 + 1 + 1 + 8)));
}

TEST_CASE("path-specific modules are stepped too", "[loopback]") {
  MadeUpRun run("2x2", "blocks:3");
  const auto stepped = modules_of(run, run.plan());
  run.config.outer.learning_rate = 1.0;
  run.config.outer.momentum = 0.0;
  const auto landed = modules_of(run, run.plan());
  CHECK(stepped.at("module-2.1") != landed.at("module-2.1"));
}

TEST_CASE("a run that learns nothing moves as many bytes as one that learns", "[loopback]") {
  MadeUpRun run("2x2", "blocks:0");
  const RunPlan costs = run.plan_of_costs();
  const auto off = run_loopback(costs, {.workers = 4});
  const auto on = run_loopback(run.plan(), {.workers = 4});
  const auto gradient = static_cast<std::size_t>(MessageKind::outer_gradient);
  const auto put = static_cast<std::size_t>(MessageKind::put_path_state);
  CHECK(off.traffic.by_kind[gradient] == on.traffic.by_kind[gradient]);
  CHECK(off.traffic.by_kind[put] == on.traffic.by_kind[put]);
  CHECK(off.result.parameters_hash.empty());
}

TEST_CASE("the evaluations asked for are made, and the last is of the whole run", "[loopback]") {
  MadeUpRun run("2x2", "blocks:0");
  run.config.evaluate.every = 2;
  const std::string hash = hash_with(run.plan(), 3);
  const auto done = run_loopback(run.plan(), {.workers = 2, .evaluators = 1});
  REQUIRE(done.result.evaluations.size() == 1);  // of outer step 2; 4 is the end
  CHECK(done.result.evaluations[0].first == 2);
  REQUIRE(done.result.scores.size() == 4);
  CHECK(done.result.scores[0].tokens > 0);
  CHECK(done.result.parameters_hash == hash);
}

TEST_CASE("a run of many phases keeps the shards of the last, and is gone on with", "[loopback]") {
  MadeUpRun run("2x2", "blocks:0");
  run.config.outer.steps = 8;
  run.config.evaluate.every = 3;
  run.config.routing.reshard_at = "1,2,3,4,5,6,7";
  const auto state = run.folder() / "state";
  const auto done = run_loopback(run.plan(), {.workers = 2, .state = state});
  const auto files = [&](const char* folder) {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(state / "node-0" / folder)) {
      names.push_back(file.path().filename().string());
    }
    return names;
  };
  CHECK(files("shards") == std::vector<std::string>{"7"});
  CHECK(files("shard_sizes").size() == 6);
  CHECK(run_loopback(run.plan(), {.workers = 2, .state = state}).result.routing_hash == done.result.routing_hash);
}

TEST_CASE("a diverged path ends the run with the path's name, and no thread is left", "[loopback]") {
  MadeUpRun run("2x2");
  auto prepared = std::make_shared<Prepared>(*run.prepared());
  prepared->start.parameters[0] = std::numeric_limits<float>::infinity();  // infinity - infinity is not a number
  const RunPlan plan = make_plan(run.config, prepared, run.trainer);
  CHECK_THROWS_WITH(run_loopback(plan, {.workers = 2}), Catch::Contains("path ") && Catch::Contains("diverged"));
}

TEST_CASE("a run that is stopped says so and has no result", "[loopback]") {
  MadeUpRun run("2x2");
  run.config.outer.steps = 100000;
  const std::atomic<bool> stop{true};
  CHECK(run_loopback(run.plan(), {.workers = 2, .stop = &stop}).stopped);
}

}  // namespace dipaco
