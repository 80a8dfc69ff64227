#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/sim/data_parallel/training.hpp"
#include "backends/sim/scenario/placement.hpp"

namespace dipaco::testing {

inline constexpr double kNic = 1e9;    // bytes a second, 1 ms
inline constexpr double kLine = 50e6;  // 40 ms

/// Trains on sites of so many hosts: s0-h0, s0-h1, ... Each has a full-duplex adapter; each two sites have a line each
/// way, line0-1 and so on. All work, at 1 Gflop/s each; the host home, at the first site, coordinates and keeps
/// checkpoints. To be called in a child. @param change  may add machines that come and go
DataParallelReport train(const std::vector<int>& sites, const DataParallelOptions& options,
                         const std::function<void(Placement&)>& change = {});

/// A step computes 1 s on so many ranks.
DataParallelOptions options_for(int ranks, std::int64_t steps);

/// Each machine fails after exponential times of this mean and is repaired in 60 s.
void fail_now_and_then(Placement& placement, Seconds mean);

}  // namespace dipaco::testing
