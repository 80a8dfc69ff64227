#include "backends/sim/data_parallel/overlap.hpp"

#include <algorithm>
#include <cstdint>

namespace dipaco {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;
constexpr Bytes kFirstBucket{kMebibyte};
constexpr Bytes kLeastBucket{25 * kMebibyte};

/// Of a step: forward a third, and the backward pass twice as long (docs/cost-model.md).
constexpr double kForwardShare = 1.0 / 3;

DataParallelStep step_in_buckets(Seconds compute, Bytes gradients, Bytes bucket,
                                 const std::function<Seconds(Bytes)>& sum_time) {
  DataParallelStep step{.compute = compute, .all_reduce = {}, .whole = {}, .bucket = bucket};
  const Seconds forward = kForwardShare * compute;
  Bytes made{};
  Seconds end{};
  while (made < gradients) {
    const Bytes next = std::min(made == Bytes{} ? kFirstBucket : bucket, gradients - made);
    made += next;
    const double share = static_cast<double>(made.value) / static_cast<double>(gradients.value);
    const Seconds takes = sum_time(next);
    step.all_reduce += takes;
    end = std::max(end, forward + share * (compute - forward)) + takes;
  }
  step.whole = std::max(compute, end);
  return step;
}

}  // namespace

DataParallelStep step_in_turn(Seconds compute, Bytes gradients, const std::function<Seconds(Bytes)>& sum_time) {
  const Seconds takes = sum_time(gradients);
  return {.compute = compute, .all_reduce = takes, .whole = compute + takes, .bucket = gradients};
}

DataParallelStep step_with_overlap(Seconds compute, Bytes gradients, const std::function<Seconds(Bytes)>& sum_time) {
  DataParallelStep best = step_in_turn(compute, gradients, sum_time);
  for (Bytes bucket = kLeastBucket; bucket < gradients; bucket = 2 * bucket) {
    const DataParallelStep other = step_in_buckets(compute, gradients, bucket, sum_time);
    if (other.whole < best.whole) best = other;
  }
  return best;
}

}  // namespace dipaco
