#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "core/outer/optimizer.hpp"

namespace dipaco {

/// Contributions that a part gathers before it moves: `buffer`, but not more than the paths that give to it.
std::int64_t gathered(std::int64_t buffer, std::int32_t paths);

/// Steps with another optimizer at every K-th contribution, by the mean of the last K; until then the part keeps its
/// parameters. For parts that make a version of each contribution: it is in the buffer, which is part of the version,
/// so its path need not wait for the others. K is gathered(buffer, paths). What is in the buffer at a run's end moves
/// nothing.
///
///   buffer <- buffer + g
///   every K-th step:  params <- step of params by buffer / K,  buffer <- 0
///
/// Source: FedBuff (2106.06639, Alg. 1), the asynchronous buffer of Asynchronous Local-SGD (2401.09135, section 4).
class OuterBuffer : public OuterOptimizer {
 public:
  /// @param buffer  at least 1
  OuterBuffer(std::unique_ptr<const OuterOptimizer> optimizer, std::int64_t buffer)
      : optimizer_(std::move(optimizer)), buffer_(buffer) {}
  /// The other's, and behind them the buffer.
  std::vector<StateArray> arrays() const override;
  /// The other one counts its own steps as versions. REQUIRES info.paths above 0.
  void step(const StepInfo& info, std::span<float> parameters, StateArrays state,
            std::span<const float> direction) const override;

 private:
  std::unique_ptr<const OuterOptimizer> optimizer_;
  std::int64_t buffer_;
};

}  // namespace dipaco
