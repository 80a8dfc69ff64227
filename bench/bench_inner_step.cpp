// Tokens a second of our inner steps against a bare LibTorch loop: same shapes and batches, one thread each, in turns
// in one run. Seconds are the processor's, so that what else the machine does counts for neither. Exit status 1 where
// the median of the ratios is below the floor.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "bench/bare_loop.hpp"
#include "bench/made_up_batch.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {
namespace {

constexpr double kFloor = 0.95;

struct Shape {
  const char* name;
  ModelOptions model;
  std::int64_t rows;
  std::int64_t steps;  ///< a measurement
  std::int64_t repetitions;
};

/// Rows of two documents, the second a third as long.
Batch packed_batch(const Shape& shape, InnerSteps step) {
  const std::int64_t length = shape.model.sequence;
  return made_up_batch(shape.model, shape.rows, std::array{length - length / 4, length}, step);
}

template <class Work>
double seconds_of(Work work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Returns the median of ours over bare, in tokens a second.
double measure(const Shape& shape) {
  const InnerOptions inner{.steps = shape.steps, .batch = shape.rows, .learning_rate = 1e-3};
  Level level{.blocks = {}, .embedding = true, .final_norm = true, .experts = 1};
  for (std::int64_t b = 0; b < shape.model.blocks; ++b) level.blocks.push_back(b);
  const PathLayout layout = make_layout(shape.model, Topology({level}, {0}));
  const auto trainer = load_trainer({shape.model, inner, layout});
  TrainState state{.parameters = initial_parameters(layout, shape.model, 1),
                   .first_moment = std::vector<float>(layout.size),
                   .second_moment = std::vector<float>(layout.size),
                   .step = {}};
  BareLoop bare(shape.model, inner);
  const std::atomic<bool> stop{false};
  const auto ours = [&](std::int64_t steps) {
    const BatchSource source = [&](InnerSteps step) { return packed_batch(shape, step); };
    trainer->inner_steps(state, source, {.count = {steps}, .total = {100'000}}, stop);
  };
  std::int64_t bare_step = 0;
  const auto theirs = [&](std::int64_t steps) {
    for (std::int64_t k = 0; k < steps; ++k) bare.step(packed_batch(shape, {bare_step++})).item();
  };
  ours(1);
  theirs(1);
  std::vector<double> ratios, our_seconds, bare_seconds;
  for (std::int64_t k = 0; k < shape.repetitions; ++k) {
    our_seconds.push_back(seconds_of([&] { ours(shape.steps); }) / static_cast<double>(shape.steps));
    bare_seconds.push_back(seconds_of([&] { theirs(shape.steps); }) / static_cast<double>(shape.steps));
    ratios.push_back(bare_seconds.back() / our_seconds.back());
  }
  const auto tokens = static_cast<double>(shape.rows * shape.model.sequence);
  std::printf("%s: %zu parameters, %.1f ms a step (bare %.1f), %.0f tokens/s, %.0f GFLOP/s\n", shape.name, layout.size,
              1e3 * median(our_seconds), 1e3 * median(bare_seconds), tokens / median(our_seconds),
              inner_step_flops(shape.model, static_cast<std::int64_t>(tokens)) / median(our_seconds) / 1e9);
  std::printf("inner step: ours/bare = %.2f\n", median(ratios));
  return median(ratios);
}

int run() {
  const std::vector<Shape> shapes{
      {"d128 L4 V2048 T128 B16",
       {.blocks = 4, .hidden = 128, .heads = 4, .head_size = 32, .vocabulary = 2048, .sequence = 128},
       16,
       5,
       9},
      {"d256 L8 V4096 T256 B8",
       {.blocks = 8, .hidden = 256, .heads = 8, .head_size = 32, .vocabulary = 4096, .sequence = 256},
       8,
       2,
       7},
  };
  bool fast = true;
  for (const Shape& shape : shapes) fast = measure(shape) >= kFloor && fast;
  return fast ? 0 : 1;
}

}  // namespace
}  // namespace dipaco

int main() {
  try {
    return dipaco::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_inner_step: %s\n", error.what());
    return 2;
  }
}
