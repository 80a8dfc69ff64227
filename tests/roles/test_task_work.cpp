#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>

#include "core/roles/task_work.hpp"
#include "core/state/path_values.hpp"
#include "tests/roles/kept_messages.hpp"
#include "tests/support/made_up_run.hpp"

namespace dipaco::testing {
namespace {

constexpr PathId kTrained{1};

/// Computes at once, up to so many inner steps: then a notice is in.
class UpTo : public Compute {
 public:
  explicit UpTo(std::int64_t most) : most_(most) {}
  Seconds now() const override { return {}; }
  InnerSteps run(InnerSteps steps, Flops /*cost_of_one*/, const Work& work,
                 std::optional<Seconds> /*reserve*/) override {
    return work(std::min(steps, most_), stop_);
  }
  bool leaving() const override { return false; }
  std::optional<Seconds> gone_at() const override { return std::nullopt; }

 private:
  InnerSteps most_;
  std::atomic<bool> stop_{false};
};

/// What attempts at path 1's first task need, and how they go.
struct AttemptsOnTheirOwn {
  explicit AttemptsOnTheirOwn(RunPlan its_plan) : plan(std::move(its_plan)) {
    for (std::int32_t l = 0; l < plan.topology.levels(); ++l) {
      const ModuleId module = plan.topology.module(kTrained, l);
      if (!plan.topology.path_specific(module)) base.push_back({module, Version{0}});
    }
    supplies.modules.request(base);  // everyone has the prepared start
  }
  TaskWork attempt(PathStateBody before, std::int32_t first_inner_step = 0, std::int32_t length = 5) const {
    const Task task{.id = {kTrained, OuterStep{0}},
                    .epoch = 1,
                    .first_inner_step = first_inner_step,
                    .inner_steps = length,
                    .base = base};
    return {plan, archive, {task, std::move(before)}, supplies};
  }
  /// The state after an attempt of up to so many inner steps.
  PathStateBody after(PathStateBody before, std::int64_t most, std::int32_t first_inner_step = 0) const {
    TaskWork work = attempt(std::move(before), first_inner_step);
    UpTo compute(most);
    work.run(compute, std::nullopt);
    return work.take_state();
  }
  /// The parameters of one level.
  std::vector<float> part(const PathStateBody& state, std::int32_t level) const {
    const auto values = plan.layout.part(floats_of(state.parameters), level);
    return {values.begin(), values.end()};
  }
  bool specific(std::int32_t level) const { return plan.topology.path_specific(plan.topology.module(kTrained, level)); }

  RunPlan plan;
  mutable NoArchive archive;
  KeptMessages nobody;
  UpTo clock{0};
  Supplies supplies{plan, nobody, clock};
  Base base;
};

}  // namespace

TEST_CASE("a task that is handed back and continued comes to the state of one that is done at once", "[roles]") {
  const MadeUpRun made("2x2", "blocks:0");
  const AttemptsOnTheirOwn task(made.plan());
  const PathStateBody start = start_state(task.plan, kTrained);
  const PathStateBody whole = task.after(start, 5);
  CHECK(whole.version == 1);
  CHECK(whole.inner_steps == 0);
  CHECK(whole.inner_steps_total == 5);
  const PathStateBody part = task.after(start, 2);
  CHECK(part.version == 0);
  CHECK(part.inner_steps == 2);
  CHECK(part.inner_steps_total == 2);
  const PathStateBody continued = task.after(part, 5, 2);
  CHECK(continued.version == 1);
  CHECK(continued.inner_steps_total == 5);
  CHECK(*continued.parameters.data == *whole.parameters.data);
  CHECK(*continued.first_moment.data == *whole.first_moment.data);
  CHECK(*continued.second_moment.data == *whole.second_moment.data);
  CHECK(*continued.velocity.data == *whole.velocity.data);
  CHECK(continued.loss_sum == Approx(whole.loss_sum));
  CHECK(whole.loss_sum > part.loss_sum);
}

TEST_CASE("the shape of a part weighs what the part weighs, whatever was learned", "[roles]") {
  const auto weight = [](const PathStateBody& state) { return make_message(PutPathState{.state = state}).wire_size; };
  for (const char* const specific : {"", "blocks:0"}) {
    const MadeUpRun made("2x2", specific);
    const AttemptsOnTheirOwn task(made.plan());
    const PathStateBody start = start_state(task.plan, kTrained);
    const PathStateBody shape = task.attempt(start).part_shape();
    CHECK(shape.parameters.data == nullptr);
    CHECK(weight(shape) == weight(task.after(start, 2)));
  }
}

TEST_CASE("an attempt does the inner steps that are left, and says which it has done", "[roles]") {
  const MadeUpRun made("2x2");
  const AttemptsOnTheirOwn task(made.plan());
  UpTo compute(9);
  TaskWork work = task.attempt(task.after(start_state(task.plan, kTrained), 2), 2);
  CHECK(work.run(compute, std::nullopt) == InnerSteps{3});  // 5 - 2
  CHECK(work.whole());
  CHECK(work.loss_sum() > 0);
}

TEST_CASE("an attempt that does no inner step has trained nothing", "[roles]") {
  const MadeUpRun made("2x2");
  const AttemptsOnTheirOwn task(made.plan());
  UpTo compute(0);
  TaskWork work = task.attempt(start_state(task.plan, kTrained));
  CHECK(work.run(compute, std::nullopt) == InnerSteps{0});
  CHECK_FALSE(work.whole());
  CHECK(work.loss_sum() == 0);
  const PathStateBody state = work.take_state();
  CHECK(state.inner_steps == 0);
  CHECK(*state.parameters.data == *start_state(task.plan, kTrained).parameters.data);
}

TEST_CASE("shared parameters are those of the task's base, path-specific ones those of the path's state", "[roles]") {
  const MadeUpRun made("2x2", "blocks:0");
  AttemptsOnTheirOwn task(made.plan());
  for (BaseVersion& each : task.base) {
    each.version = Version{3};
    Values sevens = start_module(task.plan, each.module);
    sevens.data = std::make_shared<const std::vector<float>>(sevens.data->size(), 7.0F);
    task.supplies.modules.arrived({each.module, each.version, 1, sevens});
  }
  const PathStateBody start = start_state(task.plan, kTrained);
  const PathStateBody gathered = task.after(start, 0);
  for (std::int32_t l = 0; l < task.plan.topology.levels(); ++l) {
    const std::vector<float> before = task.part(start, l);
    CHECK(task.part(gathered, l) == (task.specific(l) ? before : std::vector<float>(before.size(), 7.0F)));
  }
}

TEST_CASE("path-specific modules make the outer step at once, shared ones stay as the inner steps left them",
          "[roles]") {
  MadeUpRun made("2x2", "blocks:0");
  const AttemptsOnTheirOwn inner(made.plan());
  const PathStateBody start = start_state(inner.plan, kTrained);
  made.config.outer.optimizer = "sgd";
  made.config.outer.learning_rate = 0.5;
  const AttemptsOnTheirOwn task(made.plan());
  const PathStateBody by_half = task.after(start, 5);
  made.config.outer.learning_rate = 1;
  const AttemptsOnTheirOwn whole_task(made.plan());
  const PathStateBody by_all = whole_task.after(start, 5);
  for (std::int32_t l = 0; l < task.plan.topology.levels(); ++l) {
    const auto before = task.part(start, l);
    const auto half = task.part(by_half, l);
    const auto all = task.part(by_all, l);
    if (task.specific(l)) {
      // A step of rate 1/2 goes half as far as one of rate 1.
      for (std::size_t k = 0; k < before.size(); ++k) {
        CHECK(half[k] - before[k] == Approx((all[k] - before[k]) / 2).margin(1e-6));
      }
    } else {
      CHECK(half == all);
    }
    CHECK(all != before);
  }
}

TEST_CASE("a path-specific module of which no outer step can be made spoils the state's loss", "[roles]") {
  const MadeUpRun made("2x2", "blocks:0");
  const AttemptsOnTheirOwn task(made.plan());
  PathStateBody part = task.after(start_state(task.plan, kTrained), 2);
  CHECK_FALSE(std::isnan(task.after(part, 5, 2).loss_sum));
  std::vector<float> far_away = *part.specific_before.data;
  far_away[0] = 1e30F;
  part.specific_before = make_values(std::move(far_away), part.specific_before.charged);
  CHECK(std::isnan(task.after(part, 5, 2).loss_sum));
}

TEST_CASE("a task has as many inner steps as it says", "[roles]") {
  const MadeUpRun made("2x2");
  const AttemptsOnTheirOwn task(made.plan());
  UpTo compute(100);
  TaskWork work = task.attempt(start_state(task.plan, kTrained), 0, 3);
  CHECK(work.run(compute, std::nullopt) == InnerSteps{3});
  CHECK(work.whole());
  const std::int64_t before = start_state(task.plan, kTrained).inner_steps_total;
  CHECK(work.take_state().inner_steps_total == before + 3);
}

TEST_CASE("where nothing is learned, a task comes to what it is charged as", "[roles]") {
  const MadeUpRun made("2x2");
  const AttemptsOnTheirOwn task(made.plan_of_costs());
  const PathStateBody state = task.after(start_state(task.plan, kTrained), 5);
  CHECK(state.version == 1);
  CHECK(state.parameters.data == nullptr);
  CHECK(state.parameters.charged == task.plan.charged.size);
}

}  // namespace dipaco::testing
