// A transformer router while it learns: what it learns, and that nothing but its inputs decides a bit.

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <thread>

#include "core/base/error.hpp"
#include "core/trainer/transformer_router.hpp"
#include "tests/nn/made_up.hpp"

namespace dipaco {
namespace {

using testing::made_up_router_batch;
using testing::pack;
using testing::router_of;
using testing::same_bits;
using testing::start_of;
using testing::tiny_model;
using testing::trainer_for;

constexpr std::int32_t kStepPaths = 3;
const InnerOptions kRouterInner{.learning_rate = 3e-3};

RouterBatchSource made_up_batches() {
  return [](InnerSteps step) { return made_up_router_batch(tiny_model(), kStepPaths, step); };
}

InnerReport train(const Trainer& trainer, TrainState& state, const RouterBatchSource& batches, const RouterPlan& plan) {
  const std::atomic<bool> stop{false};
  const InnerReport report = trainer.router_steps(state, batches, plan, stop);
  CHECK(report.done == plan.steps.count);
  return report;
}

/// The state after `steps` steps from the same start.
TrainState trained_router(const Trainer& trainer, std::int64_t steps, std::int64_t micro_batches = 1, int threads = 1) {
  TrainState state = router_of(tiny_model(), kStepPaths);
  train(trainer, state, made_up_batches(),
        {kStepPaths, {.count = {steps}, .total = {20}, .micro_batches = micro_batches, .threads = threads}});
  return state;
}

TEST_CASE("the number of threads changes no bit of a router", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kRouterInner);
  CHECK_FALSE(same_bits(trained_router(*trainer, 4), trained_router(*trainer, 5)));
  for (const std::int64_t parts : {1, 2, 4}) {
    const TrainState one = trained_router(*trainer, 4, parts, 1);
    CHECK(same_bits(one, trained_router(*trainer, 4, parts, 2)));
    CHECK(same_bits(one, trained_router(*trainer, 4, parts, 8)));
    CHECK(same_bits(one, trained_router(*trainer_for(tiny_model(), kRouterInner), 4, parts, 1)));
  }
}

TEST_CASE("router steps in one call are those in two: a router goes on where it stopped", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kRouterInner);
  const TrainState whole = trained_router(*trainer, 6);
  CHECK(whole.step == InnerSteps{6});
  for (const std::int64_t first : {1, 4}) {
    TrainState state = trained_router(*trainer, first);
    train(*trainer, state, made_up_batches(), {kStepPaths, {.count = {6 - first}, .total = {20}}});
    CHECK(same_bits(state, whole));
  }
}

TEST_CASE("a router and a path that are trained at once get the bits that they get alone", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kRouterInner);
  const TrainState alone = trained_router(*trainer, 8);
  TrainState path = start_of(tiny_model()), path_alone = path, router;
  const InnerPlan plan{.count = {8}, .total = {20}};
  testing::train(*trainer, path_alone, testing::made_up_batches(tiny_model()), plan);
  const std::atomic<bool> stop{false};
  std::thread other([&] { trainer->inner_steps(path, testing::made_up_batches(tiny_model()), plan, stop); });
  router = trained_router(*trainer, 8);
  other.join();
  CHECK(same_bits(router, alone));
  CHECK(same_bits(path, path_alone));
}

TEST_CASE("a router stops after the step in which stop came, and before the first", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kRouterInner);
  std::atomic<bool> stop{false};
  const auto batches = [&](InnerSteps step) {
    if (step == InnerSteps{2}) stop = true;
    return made_up_router_batch(tiny_model(), kStepPaths, step);
  };
  TrainState state = router_of(tiny_model(), kStepPaths);
  const RouterPlan plan{kStepPaths, {.count = {9}, .total = {20}}};
  CHECK(trainer->router_steps(state, batches, plan, stop).done == InnerSteps{3});
  CHECK(same_bits(state, trained_router(*trainer, 3)));
  CHECK(trainer->router_steps(state, batches, plan, stop).done == InnerSteps{0});
  CHECK(same_bits(state, trained_router(*trainer, 3)));
}

TEST_CASE("a router's loss that is not finite is an error that names the step and leaves the router as it was",
          "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kRouterInner);
  TrainState state = trained_router(*trainer, 4);
  state.parameters.back() = std::numeric_limits<float>::quiet_NaN();  // a bias
  const TrainState before = state;
  const std::atomic<bool> stop{false};
  const auto steps = [&] {
    trainer->router_steps(state, made_up_batches(), {kStepPaths, {.count = {2}, .total = {20}}}, stop);
  };
  CHECK_THROWS_AS(steps(), DataError);
  CHECK_THROWS_WITH(steps(), Catch::Contains("router step 4"));
  CHECK(same_bits(state, before));
}

TEST_CASE("a router's learning rate is a cosine from its peak, whatever warmup the inner steps have: §7.2.2", "[nn]") {
  InnerOptions inner{.learning_rate = 0.01, .final_learning_rate = 0.002, .warmup = 1000, .weight_decay = 0};
  inner.beta1 = inner.beta2 = 0;  // a parameter moves by rate x sign of its gradient, but for epsilon
  const auto move = [&](std::int64_t step) {
    TrainState state = router_of(tiny_model(), kStepPaths);
    state.step = {step};
    const std::vector<float> before = state.parameters;
    train(*trainer_for(tiny_model(), inner), state, made_up_batches(), {kStepPaths, {.count = {1}, .total = {40}}});
    double largest = 0;
    for (std::size_t k = 0; k < before.size(); ++k) {
      largest = std::max(largest, std::abs(static_cast<double>(state.parameters[k]) - before[k]));
    }
    return largest;
  };
  CHECK(move(0) == Approx(0.01).epsilon(1e-3));
  // 0.002 + 0.008 x (1 + cos(pi / 4)) / 2, halfway 0.002 + 0.008 / 2
  CHECK(move(10) == Approx(0.002 + 0.004 * (1 + std::numbers::sqrt2 / 2)).epsilon(1e-3));
  CHECK(move(20) == Approx(0.006).epsilon(1e-3));
  CHECK(move(40) == Approx(0.002).epsilon(1e-3));
}

TEST_CASE("a router over one path has a loss of 0, and its parameters do nothing but decay", "[nn]") {
  const InnerOptions inner{.learning_rate = 0.1, .final_learning_rate = 0.1, .weight_decay = 0.5};
  const auto trainer = trainer_for(tiny_model(), inner);
  TrainState state = router_of(tiny_model(), 1);
  const std::vector<float> before = state.parameters;
  const auto batches = [](InnerSteps step) { return made_up_router_batch(tiny_model(), 1, step); };
  CHECK(train(*trainer, state, batches, {1, {.count = {1}, .total = {9}}}).last_loss == 0);
  for (std::size_t k = 0; k < before.size(); ++k) CHECK(state.parameters[k] == Approx(0.95 * before[k]));
  const Batch batch = testing::made_up_batch(tiny_model(), {0});
  CHECK(trainer->router_logits(state.parameters, 1, batch, std::vector<std::int64_t>{3, 40}).size() == 2);
}

/// Of unseen documents, how often the likeliest path is the rule's, after `steps` steps.
double accuracy(const testing::PathRule& rule, std::int64_t steps) {
  const ModelOptions model = tiny_model();
  const auto trainer = trainer_for(model, {.learning_rate = 1e-2});
  TrainState router = router_start(start_of(model).parameters, model.hidden, kStepPaths);
  const auto batches = [&](InnerSteps step) { return testing::with_paths(testing::made_up_batch(model, step), rule); };
  train(*trainer, router, batches, {kStepPaths, {.count = {steps}, .total = {steps}}});
  std::int64_t right = 0, all = 0;
  for (std::int64_t step = steps; step < steps + 10; ++step) {
    const RouterBatch batch = batches({step});
    for (std::int64_t at = 0; at < 64; ++at) {
      const std::int32_t wanted = batch.paths[static_cast<std::size_t>(at)];
      if (wanted == Batch::kNoTarget) continue;
      const auto logits =
          trainer->router_logits(router.parameters, kStepPaths, batch.batch, std::vector<std::int64_t>{at});
      right += std::max_element(logits.begin(), logits.end()) - logits.begin() == wanted ? 1 : 0;
      ++all;
    }
  }
  return static_cast<double>(right) / static_cast<double>(all);
}

TEST_CASE("a router learns that the last token decides, and that the first token of a document does", "[nn]") {
  const auto last = [](const Batch& batch, std::size_t at) { return batch.tokens[at] % kStepPaths; };
  const auto first = [](const Batch& batch, std::size_t at) {
    return batch.tokens[at - static_cast<std::size_t>(batch.positions[at])] % kStepPaths;
  };
  CHECK(accuracy(last, 200) > 0.95);
  CHECK(accuracy(first, 400) > 0.95);
}

TEST_CASE("a router learns from its paths alone: the tokens that follow count for nothing", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kRouterInner);
  TrainState state = router_of(tiny_model(), kStepPaths);
  const auto without = [](InnerSteps step) {
    RouterBatch batch = made_up_router_batch(tiny_model(), kStepPaths, step);
    batch.batch.targets.assign(batch.batch.targets.size(), Batch::kNoTarget);
    return batch;
  };
  train(*trainer, state, without, {kStepPaths, {.count = {3}, .total = {20}}});
  CHECK(same_bits(state, trained_router(*trainer, 3)));
}

}  // namespace
}  // namespace dipaco
