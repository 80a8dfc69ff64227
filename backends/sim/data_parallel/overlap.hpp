#pragma once

#include <cstdint>
#include <functional>

#include "core/base/units.hpp"

namespace dipaco {

/// What a rank computes of a step.
enum class RankShare : std::uint8_t {
  by_speed,  ///< in proportion to its speed: all end at the same time
  equal,     ///< as much as the others: all wait for the slowest
};

/// A step of data-parallel training.
struct DataParallelStep {
  Seconds compute{};
  Seconds all_reduce{};  ///< of all gradients, in one or in several buckets, one after the other
  Seconds whole{};       ///< with what of that lies beside the backward pass
  Bytes bucket{};        ///< most that is summed at once
};

/// The step whose gradients are summed behind the backward pass, at once.
DataParallelStep step_in_turn(Seconds compute, Bytes gradients, const std::function<Seconds(Bytes)>& sum_time);

/// The step whose gradients are summed in buckets, one after the other, each once the backward pass has made it. That
/// pass is the last two thirds of the computation, and makes gradients evenly. The first bucket has 1 MiB and the
/// others 25 MiB, as in PyTorch's DistributedDataParallel, or 50, 100, ..., or there is only one bucket: whatever is
/// fastest, as on a long line each bucket costs its latency.
/// @param sum_time  of a bucket of so many bytes
DataParallelStep step_with_overlap(Seconds compute, Bytes gradients, const std::function<Seconds(Bytes)>& sum_time);

}  // namespace dipaco
