// Ranks: parts of a batch that devices or threads of one worker share.

#include <catch2/catch.hpp>
#include <cmath>

#include "core/base/error.hpp"
#include "tests/nn/made_up.hpp"

namespace dipaco {
namespace {

using testing::made_up_batch;
using testing::made_up_batches;
using testing::same_bits;
using testing::start_of;
using testing::tiny_model;
using testing::train;
using testing::trainer_for;

constexpr std::int64_t kRows = 4;  // of made_up_batch

InnerOptions inner_options(std::int64_t micro_batch, const std::string& precision = "fp32") {
  return {.learning_rate = 3e-3, .warmup = 2, .precision = precision, .micro_batch = micro_batch};
}

TrainState trained(const InnerOptions& inner, std::int64_t ranks, int threads = 1) {
  TrainState state = start_of(tiny_model());
  train(*trainer_for(tiny_model(), inner), state, made_up_batches(tiny_model()),
        {.count = {4}, .total = {20}, .threads = threads, .ranks = ranks});
  return state;
}

std::vector<float> gradient_with(InnerOptions inner, std::int64_t ranks) {
  inner.clip = 0;
  inner.ranks = ranks;
  return trainer_for(tiny_model(), inner)
      ->gradient(start_of(tiny_model()).parameters, made_up_batch(tiny_model(), {3}), {})
      .values;
}

}  // namespace

TEST_CASE("ranks have the bits of one rank with as many micro-batches, however many threads share them", "[nn]") {
  for (const char* precision : {"fp32", "bf16"}) {
    for (const std::int64_t ranks : {2, 4}) {
      const TrainState one = trained(inner_options(kRows / ranks, precision), 1);
      for (const int threads : {1, 2, 3, 8}) {
        CHECK(same_bits(trained(inner_options(0, precision), ranks, threads), one));
      }
    }
  }
}

TEST_CASE("a rank's own micro-batches add up to the gradient of its rows", "[nn]") {
  const std::vector<float> whole = gradient_with(inner_options(0), 1);
  for (const std::int64_t ranks : {2, 3}) {
    for (const std::int64_t rows : {1, 2, 0}) {
      const std::vector<float> made = gradient_with(inner_options(rows), ranks);
      double apart = 0, size = 0;
      for (std::size_t k = 0; k < whole.size(); ++k) {
        apart += std::pow(double(made[k]) - double(whole[k]), 2);
        size += std::pow(double(whole[k]), 2);
      }
      CHECK(std::sqrt(apart / size) < 1e-6);
    }
  }
  for (const int threads : {2, 3}) {
    CHECK(same_bits(trained(inner_options(1), 2, threads), trained(inner_options(1), 2)));
  }
}

TEST_CASE("more devices than ranks, and a device that is none, are refused before anything is computed", "[nn]") {
  const auto why = [](const std::string& device) {
    try {
      load_trainer({.model = tiny_model(), .inner = {}, .layout = testing::layout_of(tiny_model()), .device = device});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(why("cuda:0,cuda:1") ==
        "--device cuda:0,cuda:1: 2 devices, and inner.ranks=1 uses fewer; write inner.ranks=2, which changes the "
        "result, or name fewer devices");
  const InnerOptions two{.ranks = 2};
  CHECK_THROWS_WITH(
      load_trainer(
          {.model = tiny_model(), .inner = two, .layout = testing::layout_of(tiny_model()), .device = "cpu,cuda:0"}),
      Catch::Contains("cpu stands alone; --threads says how many cores"));
}

}  // namespace dipaco
