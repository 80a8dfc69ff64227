// Outer gradients that are dropped with a probability (outer.drop; DiLoCo, 2311.08105, Fig. 8).

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backends/loopback/run.hpp"
#include "core/outer/nesterov.hpp"
#include "core/outer/outer_gradient.hpp"
#include "core/outer/prune.hpp"
#include "core/plan/giving.hpp"
#include "tests/loopback/finished_modules.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco {
namespace {

/// A path of the reference.
struct Replica {
  TrainState state;
  bool dropped = false;
};

std::vector<float> pruned(const RunPlan& plan, std::vector<float> values) {
  for (const TensorSlot& slot : plan.layout.slots) {
    prune(std::span(values).subspan(slot.offset, slot.size), static_cast<std::size_t>(slot.shape.back()),
          plan.config.outer.prune, plan.config.outer.prune_by == "sign" ? PruneBy::sign : PruneBy::magnitude);
  }
  return values;
}

/// A run of one module that all paths share, in some lines without our runtime: the module's parameters at the end.
std::vector<float> diloco_with_drops(const MadeUpRun& run, const RunPlan& plan) {
  const auto prepared = run.prepared();
  std::vector<float> theta = prepared->start.parameters;
  std::vector<float> velocity(theta.size(), 0.0F);
  std::vector<Replica> replicas(prepared->shards.size(), {prepared->start});
  const std::atomic<bool> stop{false};
  for (std::int32_t t = 0; t < run.config.outer.steps; ++t) {
    std::vector<std::size_t> given;
    std::vector<double> sizes;
    for (std::size_t k = 0; k < replicas.size(); ++k) {
      const PathId path{static_cast<std::int32_t>(k)};
      auto& [state, dropped] = replicas[k];
      if (!dropped) state.parameters = theta;
      plan.learner->inner_steps(plan.learner->shard(path), state, InnerSteps{run.config.inner.steps}, {}, stop);
      dropped = !gives(plan, path, OuterStep{t});
      if (dropped) continue;
      given.push_back(k);
      sizes.push_back(plan.shard_weights[k]);
    }
    if (given.empty()) continue;
    OuterAccumulator sum(theta.size());
    const auto weights = path_weights(sizes);
    for (std::size_t k = 0; k < given.size(); ++k) {
      const Replica& replica = replicas[given[k]];
      sum.add(pruned(plan, outer_gradient(theta, replica.state.parameters)), weights[k], "path");
    }
    nesterov_step(theta, velocity, sum.mean(1.0), {.rate = 0.7, .momentum = 0.9});
  }
  return theta;
}

std::uint64_t sent_in(const LoopbackRun& run, MessageKind kind) {
  return run.traffic.messages_by_kind[static_cast<std::size_t>(kind)];
}

}  // namespace

TEST_CASE("a dropped path trains on from its own parameters, and gives later how far it is off, bit for bit",
          "[loopback]") {
  MadeUpRun run("shared:3");
  run.config.outer.steps = 12;
  for (const double drop : {0.3, 0.8}) {
    run.config.outer.drop = drop;
    const RunPlan plan = run.plan();
    CHECK(modules_of(run, plan).at("module-0.0") == diloco_with_drops(run, plan));
  }
}

TEST_CASE("outer gradients are pruned before they are averaged, bit for bit", "[loopback]") {
  MadeUpRun run("shared:3");
  for (const auto& [share, by] : {std::pair(0.25, "sign"), {0.5, "sign"}, {0.5, "magnitude"}}) {
    run.config.outer.prune = share;
    run.config.outer.prune_by = by;
    const RunPlan plan = run.plan();
    CHECK(modules_of(run, plan).at("module-0.0") == diloco_with_drops(run, plan));
  }
}

TEST_CASE("a run with dropped paths ends alike with any number of nodes, and sends what is given, once", "[loopback]") {
  MadeUpRun run("2x2", "blocks:0");
  run.config.outer.steps = 10;
  run.config.outer.drop = 0.5;
  run.config.evaluate.every = 3;
  const RunPlan plan = run.plan();
  std::uint64_t given = 0;
  for (std::int32_t t = 0; t < plan.timetable.end(); ++t) {
    for (std::int32_t p = 0; p < 4; ++p) given += gives(plan, PathId{p}, OuterStep{t}) ? 2 : 0;
  }
  std::string hash;
  for (const std::int32_t workers : {1, 2, 4}) {
    const auto done = run_loopback(plan, {.workers = workers, .executors = 2, .test_clock = true});
    CHECK(sent_in(done, MessageKind::outer_gradient) == given);
    CHECK(sent_in(done, MessageKind::gradient_doubted) == 0);
    CHECK(sent_in(done, MessageKind::gradients_lost) == 0);
    CHECK(sent_in(done, MessageKind::path_module) == 0);
    CHECK((hash.empty() || hash == done.result.parameters_hash));
    hash = done.result.parameters_hash;
  }
}

}  // namespace dipaco
