// Bytes a second of adding an outer gradient and of the outer step against memory copy, one thread, in turns in one run.
// Exit status 1 where a median of the ratios is below the floor.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <vector>

#include "core/base/random.hpp"
#include "core/outer/nesterov.hpp"
#include "core/outer/outer_gradient.hpp"

namespace dipaco {
namespace {

constexpr double kFloor = 0.9;
constexpr std::size_t kFloats = 40'000'000;   // far more than any cache holds
constexpr int kRounds = 9;

double seconds_of(const std::function<void()>& work) {
  const auto cpu = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const double start = cpu();
  work();
  return cpu() - start;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

int run() {
  std::vector<float> difference(kFloats);
  for (std::size_t k = 0; k < kFloats; ++k) {
    difference[k] = static_cast<float>(1e-3 * (draw_uniform(1, Draw::jitter, k) - 0.5));
  }
  std::vector<float> params(kFloats, 1.0F);
  std::vector<float> velocity(kFloats, 0.0F);
  std::vector<float> copy(kFloats, 0.0F);
  OuterAccumulator sum(kFloats);
  std::vector<double> adds;
  std::vector<double> steps;
  std::vector<double> step_seconds;
  for (int round = 0; round < kRounds; ++round) {
    // Bytes that the algorithm must move: copy reads 4 and writes 4 a float; adding reads 4 + 8 and writes 8; the outer
    // step reads 12 and writes 8.
    const double copied = 8 / seconds_of([&] { std::memcpy(copy.data(), difference.data(), kFloats * sizeof(float)); });
    const double added = 20 / seconds_of([&] { sum.add(difference, 0.25, "bench"); });
    step_seconds.push_back(seconds_of([&] { nesterov_step(params, velocity, difference, {}); }));
    adds.push_back(added / copied);
    steps.push_back(20 / step_seconds.back() / copied);
  }
  std::printf("adding an outer gradient: %.2f of memory copy's bytes a second (floor %.2f)\n", median(adds), kFloor);
  std::printf("outer step:               %.2f of memory copy's bytes a second (floor %.2f), %.1f ns a parameter\n",
              median(steps), kFloor, 1e9 * median(step_seconds) / static_cast<double>(kFloats));
  return median(adds) >= kFloor && median(steps) >= kFloor ? 0 : 1;
}

}  // namespace
}  // namespace dipaco

int main() { return dipaco::run(); }
