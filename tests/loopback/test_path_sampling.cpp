#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <mutex>

#include "backends/loopback/run.hpp"
#include "core/outer/nesterov.hpp"
#include "core/outer/outer_gradient.hpp"
#include "tests/loopback/finished_modules.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco {
namespace {

/// Notes where in the schedule each task began.
class ScheduleTrainer : public ToyTrainer {
 public:
  InnerReport inner_steps(TrainState& state, const BatchSource& batches, const InnerPlan& plan,
                          const std::atomic<bool>& stop) const override {
    {
      const std::lock_guard lock(mutex_);
      ++tasks_at_[state.step + plan.sat_out];
    }
    return ToyTrainer::inner_steps(state, batches, plan, stop);
  }
  std::map<InnerSteps, int> tasks_at() const {
    const std::lock_guard lock(mutex_);
    return tasks_at_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::map<InnerSteps, int> tasks_at_;
};

}  // namespace

TEST_CASE("a path that sits out an outer step goes on with the others' learning rate", "[loopback]") {
  MadeUpRun run("2x2");  // §2.6.2
  run.config.routing.sample_paths = 0.5;
  const auto watching = std::make_shared<ScheduleTrainer>();
  run.trainer = watching;
  const RunPlan plan = run.plan();
  run_loopback(plan, {.workers = 2});
  // Whatever is drawn, two paths of four are at each step of the schedule, none is at one twice.
  const InnerSteps start = run.prepared()->start.step;
  std::map<InnerSteps, int> expected;
  for (std::int64_t t = 0; t < run.config.outer.steps; ++t)
    expected[start + InnerSteps{t * run.config.inner.steps}] = 2;
  CHECK(watching->tasks_at() == expected);
}

TEST_CASE("paths come and go over a run, and whoever trains goes on with the schedule", "[loopback]") {
  MadeUpRun run("shared:4");  // DiLoCo (2311.08105), Fig. 7
  run.config.outer.steps = 6;
  for (const auto& [text, counts] : std::vector<std::pair<std::string, std::vector<int>>>{
           {"2,4", {2, 2, 2, 4, 4, 4}}, {"4,2", {4, 4, 4, 2, 2, 2}}, {"1..4", {1, 2, 2, 3, 3, 4}}}) {
    INFO(text);
    run.config.routing.active_paths = text;
    const auto watching = std::make_shared<ScheduleTrainer>();
    run.trainer = watching;
    const RunPlan plan = run.plan();
    const RunResult result = run_loopback(plan, {.workers = 2}).result;
    const InnerSteps start = run.prepared()->start.step;
    std::map<InnerSteps, int> expected;
    for (std::size_t t = 0; t < counts.size(); ++t)
      expected[start + InnerSteps{static_cast<std::int64_t>(t) * run.config.inner.steps}] = counts[t];
    CHECK(watching->tasks_at() == expected);
    CHECK(result.parameters_hash == run_loopback(plan, {.workers = 4}).result.parameters_hash);
  }
}

TEST_CASE("modules of paths that are not drawn keep parameters and velocity, bit for bit", "[loopback]") {
  MadeUpRun flat("flat:4");  // §2.6.2; of each path a module of its own
  flat.config.routing.sample_paths = 0.5;
  flat.config.outer.steps = 8;
  const RunPlan plan = flat.plan();
  const auto modules = modules_of(flat, plan);
  REQUIRE(modules.size() == 4);
  int rested = 0;  // outer steps between two at which a path trained: its velocity is not 0 and not yet spent
  for (std::int32_t p = 0; p < 4; ++p) {
    const PathId path{p};
    TrainState state = flat.prepared()->start;
    std::vector<float> velocity(state.parameters.size(), 0.0F);
    std::int64_t trained = 0;
    for (std::int32_t t = 0; t < flat.config.outer.steps; ++t) {
      if (!plan.timetable.trains(path, OuterStep{t})) {
        rested +=
            trained > 0 && number(plan.timetable.next_trained(path, OuterStep{t})) < flat.config.outer.steps ? 1 : 0;
        continue;  // and nothing else
      }
      std::vector<float> before = state.parameters;
      const std::atomic<bool> stop{false};
      plan.learner->inner_steps(plan.learner->shard(path), state, InnerSteps{flat.config.inner.steps},
                                InnerSteps{(t - trained) * flat.config.inner.steps}, stop);
      OuterAccumulator mean(before.size());
      mean.add(outer_gradient(before, state.parameters), 1.0, "path");
      nesterov_step(before, velocity, mean.mean(1.0), {.rate = 0.7, .momentum = 0.9});
      state.parameters = before;
      ++trained;
    }
    CHECK(modules.at("module-0." + std::to_string(p)) == state.parameters);
  }
  CHECK(rested > 0);
}

TEST_CASE("versions that no path trained wait for their phase's shards to be evaluated", "[loopback]") {
  MadeUpRun run("2x2");
  run.config.outer.steps = 6;
  run.config.routing.sample_paths = 0.25;  // of each level one module rests, for as long as it is not drawn
  run.config.routing.reshard_at = "1,3";
  run.config.data.holdout_fraction = 0.2;
  run.config.evaluate.early_stopping = true;
  run.config.evaluate.every = 1;
  for (run.config.run.seed = 1; run.config.run.seed <= 5; ++run.config.run.seed) {
    const RunPlan plan = run.plan();
    const RunResult alone = run_loopback(plan, {.workers = 1}).result;
    const RunResult together = run_loopback(plan, {.workers = 4}).result;
    CHECK(together.parameters_hash == alone.parameters_hash);
    CHECK(together.routing_hash == alone.routing_hash);
    REQUIRE(together.evaluations.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
      CHECK(together.evaluations[i].second.nats == alone.evaluations[i].second.nats);
    }
  }
}

}  // namespace dipaco
