#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "tests/nn/made_up.hpp"

namespace dipaco {
namespace {

using testing::made_up_batches;
using testing::start_of;
using testing::tiny_model;
using testing::train;
using testing::trainer_for;

constexpr InnerPlan kOneStep{.count = {1}, .total = {1'000'000}};

InnerOptions options() {
  return {.learning_rate = 0.01,
          .final_learning_rate = 0.01,
          .warmup = 0,
          .weight_decay = 0.3,
          .beta1 = 0.8,
          .beta2 = 0.9,
          .epsilon = 1e-6,
          .clip = 0};
}

/// The gradient that a step with `beta1` had: the moment is a running mean of gradients.
std::vector<double> gradient(const TrainState& before, const TrainState& after, double beta1) {
  std::vector<double> result;
  for (std::size_t k = 0; k < before.first_moment.size(); ++k) {
    result.push_back((after.first_moment[k] - beta1 * before.first_moment[k]) / (1 - beta1));
  }
  return result;
}

double norm(const std::vector<double>& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

TEST_CASE("three steps are AdamW's written out: decoupled decay, both moments, bias correction", "[nn]") {
  const InnerOptions inner = options();
  const auto trainer = trainer_for(tiny_model(), inner);
  TrainState state = start_of(tiny_model());
  for (int step = 1; step <= 3; ++step) {
    const TrainState before = state;
    train(*trainer, state, made_up_batches(tiny_model()), kOneStep);
    const std::vector<double> g = gradient(before, state, inner.beta1);
    double worst_parameter = 0, worst_moment = 0;
    for (std::size_t k = 0; k < g.size(); ++k) {
      const double m = inner.beta1 * before.first_moment[k] + (1 - inner.beta1) * g[k];
      const double v = inner.beta2 * before.second_moment[k] + (1 - inner.beta2) * g[k] * g[k];
      const double m_hat = m / (1 - std::pow(inner.beta1, step));
      const double v_hat = v / (1 - std::pow(inner.beta2, step));
      const double decayed = before.parameters[k] * (1 - inner.learning_rate * inner.weight_decay);
      const double wanted = decayed - inner.learning_rate * m_hat / (std::sqrt(v_hat) + inner.epsilon);
      worst_parameter = std::max(worst_parameter, std::abs(state.parameters[k] - wanted));
      worst_moment = std::max(worst_moment, std::abs(state.second_moment[k] - v));
    }
    CHECK(worst_parameter < 1e-6);
    CHECK(worst_moment < 1e-6);
  }
  CHECK(state.step == InnerSteps{3});
}

TEST_CASE("the gradient of millions of parameters is as long as clip once it is clipped", "[nn]") {
  ModelOptions model = tiny_model();
  model.hidden = 512;
  model.mlp = 1500;
  const TrainState start = start_of(model);
  InnerOptions inner = options();
  inner.clip = 1e-3;  // without parts the norm of so many is 5e-4 too short
  const BatchGradient clipped =
      trainer_for(model, inner)->gradient(start.parameters, made_up_batches(tiny_model())(InnerSteps{}), {});
  REQUIRE(clipped.values.size() > (4U << 20));
  CHECK(norm({clipped.values.begin(), clipped.values.end()}) == Approx(inner.clip).epsilon(2e-4));
}

TEST_CASE("a gradient longer than clip is shortened to it and keeps its direction - a shorter one is left", "[nn]") {
  const auto gradient_with = [](double clip) {
    InnerOptions inner = options();
    inner.clip = clip;
    const TrainState before = start_of(tiny_model());
    TrainState state = before;
    train(*trainer_for(tiny_model(), inner), state, made_up_batches(tiny_model()), kOneStep);
    return gradient(before, state, inner.beta1);
  };
  const std::vector<double> free = gradient_with(0);
  const std::vector<double> clipped = gradient_with(0.25);
  REQUIRE(norm(free) > 0.25);
  CHECK(norm(clipped) == Approx(0.25).epsilon(1e-4));
  const double dot = std::inner_product(free.begin(), free.end(), clipped.begin(), 0.0);
  CHECK(dot == Approx(norm(free) * norm(clipped)).epsilon(1e-5));
  CHECK(gradient_with(2 * norm(free)) == free);
}

TEST_CASE("the learning rate follows the schedule by the state's step", "[nn]") {
  InnerOptions inner = options();
  inner.weight_decay = 0;
  inner.warmup = 10;
  const auto move = [&](std::int64_t step) {
    const TrainState before = [&] {
      TrainState state = start_of(tiny_model());
      state.step = {step};
      return state;
    }();
    TrainState state = before;
    const Batch batch = testing::made_up_batch(tiny_model(), {0});
    train(
        *trainer_for(tiny_model(), inner), state, [&](InnerSteps /*step*/) { return batch; }, kOneStep);
    // Where moments were empty, a parameter moves by rate x correction x sign of its gradient, but for epsilon.
    const double correction = (1 - inner.beta1) / (1 - std::pow(inner.beta1, step + 1)) /
                              std::sqrt((1 - inner.beta2) / (1 - std::pow(inner.beta2, step + 1)));
    double largest = 0;
    for (std::size_t k = 0; k < state.parameters.size(); ++k) {
      largest = std::max(largest, std::abs(static_cast<double>(state.parameters[k]) - before.parameters[k]));
    }
    return largest / correction;
  };
  CHECK(move(0) == Approx(0.001).epsilon(1e-2));
  CHECK(move(4) == Approx(0.005).epsilon(1e-2));
  CHECK(move(9) == Approx(0.01).epsilon(1e-2));
}

TEST_CASE("a gradient that is exchanged is that of an inner step, clipped as there, and changes nothing", "[nn]") {
  const TrainState before = start_of(tiny_model());
  const Batch batch = testing::made_up_batch(tiny_model(), {0});
  InnerOptions inner = options();
  double free = 0;
  for (const double clip : {0.0, 0.5}) {
    inner.clip = clip * free;
    const auto trainer = trainer_for(tiny_model(), inner);
    TrainState after = before;
    train(
        *trainer, after, [&](InnerSteps /*step*/) { return batch; }, kOneStep);
    const std::vector<double> stepped = gradient(before, after, inner.beta1);
    const BatchGradient alone = trainer->gradient(before.parameters, batch, before.step);
    REQUIRE(alone.values.size() == stepped.size());
    double worst = 0;
    for (std::size_t k = 0; k < stepped.size(); ++k) worst = std::max(worst, std::abs(stepped[k] - alone.values[k]));
    CHECK(worst < 1e-6 * norm(stepped));
    CHECK(alone.trained.value > 0);
    if (clip > 0) CHECK(norm(stepped) == Approx(clip * free).epsilon(1e-4));
    free = norm(stepped);
  }
  CHECK_THROWS_AS(trainer_for(tiny_model(), inner)
                      ->gradient(std::vector<float>(before.parameters.size(), std::nanf("")), batch, before.step),
                  DataError);
}

}  // namespace
}  // namespace dipaco
