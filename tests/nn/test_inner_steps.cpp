#include <catch2/catch.hpp>
#include <limits>
#include <thread>

#include "core/base/error.hpp"
#include "tests/nn/made_up.hpp"

namespace dipaco {
namespace {

using testing::made_up_batches;
using testing::pack;
using testing::same_bits;
using testing::start_of;
using testing::tiny_model;
using testing::train;
using testing::trainer_for;

const InnerOptions kInner{.learning_rate = 3e-3, .warmup = 2};

/// The state after `steps` steps from the same start.
TrainState trained(const Trainer& trainer, std::int64_t steps, std::int64_t micro_batches = 1, int threads = 1) {
  TrainState state = start_of(tiny_model());
  train(trainer, state, made_up_batches(tiny_model()),
        {.count = {steps}, .total = {20}, .micro_batches = micro_batches, .threads = threads});
  return state;
}

TEST_CASE("the same steps give the same bits, by the same trainer and by another", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kInner);
  const TrainState state = trained(*trainer, 5);
  CHECK(state.step == InnerSteps{5});
  CHECK(same_bits(state, trained(*trainer, 5)));
  CHECK(same_bits(state, trained(*trainer_for(tiny_model(), kInner), 5)));
  CHECK_FALSE(same_bits(state, trained(*trainer, 6)));
}

TEST_CASE("steps in one call are those in two: a task can be handed over between any two steps", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kInner);
  const TrainState whole = trained(*trainer, 6);
  for (const std::int64_t first : {1, 4}) {
    TrainState state = trained(*trainer, first);
    train(*trainer, state, made_up_batches(tiny_model()), {.count = {6 - first}, .total = {20}});
    CHECK(same_bits(state, whole));
  }
}

TEST_CASE("the number of threads changes no bit, the number of micro-batches may", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kInner);
  for (const std::int64_t parts : {2, 4}) {
    const TrainState one = trained(*trainer, 4, parts, 1);
    CHECK(same_bits(one, trained(*trainer, 4, parts, 2)));
    CHECK(same_bits(one, trained(*trainer, 4, parts, 3)));
    CHECK(same_bits(one, trained(*trainer, 4, parts, 8)));
  }
}

TEST_CASE("paths that are trained at once on several threads get the bits that they get alone", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kInner);
  const TrainState alone = trained(*trainer, 8);
  std::vector<TrainState> states(3);
  std::vector<std::thread> threads;
  for (TrainState& state : states) {
    threads.emplace_back([&] {
      const std::atomic<bool> stop{false};
      TrainState own = start_of(tiny_model());
      trainer->inner_steps(own, made_up_batches(tiny_model()), {.count = {8}, .total = {20}}, stop);
      state = std::move(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const TrainState& state : states) CHECK(same_bits(state, alone));
}

TEST_CASE("stop is honoured after the step in which it came, and before the first", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kInner);
  std::atomic<bool> stop{false};
  const auto batches = [&](InnerSteps step) {
    if (step == InnerSteps{2}) stop = true;
    return testing::made_up_batch(tiny_model(), step);
  };
  TrainState state = start_of(tiny_model());
  const InnerReport report = trainer->inner_steps(state, batches, {.count = {9}, .total = {20}}, stop);
  CHECK(report.done == InnerSteps{3});
  CHECK(same_bits(state, trained(*trainer, 3)));
  CHECK(trainer->inner_steps(state, batches, {.count = {9}, .total = {20}}, stop).done == InnerSteps{0});
  CHECK(same_bits(state, trained(*trainer, 3)));
}

TEST_CASE("the report has the losses of all steps, the last one and the positions in the loss", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kInner);
  TrainState state = start_of(tiny_model());
  const BatchSource batches = made_up_batches(tiny_model());
  const InnerReport first = train(*trainer, state, batches, {.count = {1}, .total = {20}});
  const InnerReport second = train(*trainer, state, batches, {.count = {1}, .total = {20}});
  TrainState again = start_of(tiny_model());
  const InnerReport both = train(*trainer, again, batches, {.count = {2}, .total = {20}});
  CHECK(first.loss_sum == first.last_loss);
  CHECK(both.last_loss == second.last_loss);
  CHECK(both.loss_sum == first.last_loss + second.last_loss);
  // Documents of 16 | 9, 7 | 5, 4, 6 | 12 tokens, less a prefix of 3 each.
  CHECK(first.trained == Tokens{13 + 6 + 4 + 2 + 1 + 3 + 9});
  CHECK(both.trained == Tokens{2 * 38});
}

TEST_CASE("steps that others did meanwhile count for the learning rate and not for the data", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kInner);
  const auto batches = made_up_batches(tiny_model());
  TrainState late = trained(*trainer, 4);
  TrainState later = late;
  const TrainState before = late;
  const InnerReport report = train(*trainer, late, batches, {.count = {1}, .total = {20}, .sat_out = {5}});
  // At the cosine's end the rate is 0.
  const InnerReport last = train(*trainer, later, batches, {.count = {1}, .total = {20}, .sat_out = {16}});
  CHECK(report.last_loss == last.last_loss);
  CHECK(late.step == before.step + InnerSteps{1});
  CHECK(later.parameters == before.parameters);
  CHECK(late.parameters != before.parameters);
}

TEST_CASE("a loss that is not finite is an error that names the step and leaves the state as it was", "[nn]") {
  const auto trainer = trainer_for(tiny_model(), kInner);
  TrainState state = trained(*trainer, 4);
  state.parameters[0] = std::numeric_limits<float>::quiet_NaN();
  const TrainState before = state;
  const std::atomic<bool> stop{false};
  const auto steps = [&] {
    trainer->inner_steps(state, made_up_batches(tiny_model()), {.count = {2}, .total = {20}}, stop);
  };
  CHECK_THROWS_AS(steps(), DataError);
  CHECK_THROWS_WITH(steps(), Catch::Contains("inner step 4"));
  CHECK(same_bits(state, before));
}

TEST_CASE("a made-up text that repeats itself, and needs more than one token to go on, is learned by heart", "[nn]") {
  const ModelOptions model{.blocks = 2, .hidden = 32, .heads = 2, .head_size = 16, .vocabulary = 16, .sequence = 32};
  const auto trainer = trainer_for(model, {.learning_rate = 1e-2, .warmup = 5});
  TrainState state = start_of(model);
  state.parameters = initial_parameters(testing::layout_of(model), model, 1);
  testing::Document document;
  for (std::int32_t t = 0; t < 32; ++t) document.push_back(t * t % 16 + t % 2);  // 0 2 4 10 0 10 4 2, and again
  const Batch batch = pack({{document}, {document}}, 32, 4);
  const auto source = [&](InnerSteps /*step*/) { return batch; };
  const double first = train(*trainer, state, source, {.count = {1}, .total = {400}}).last_loss;
  CHECK(first == Approx(std::log(16.0)).epsilon(0.05));
  CHECK(train(*trainer, state, source, {.count = {399}, .total = {400}}).last_loss < 1e-3);
}

TEST_CASE("an unknown precision is an error that names it", "[nn]") {
  CHECK_THROWS_AS(trainer_for(tiny_model(), {.precision = "fp16"}), ConfigError);
  CHECK_THROWS_WITH(trainer_for(tiny_model(), {.precision = "fp16"}), Catch::Contains("precision=fp16"));
}

}  // namespace
}  // namespace dipaco
