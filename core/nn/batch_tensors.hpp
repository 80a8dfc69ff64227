#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/batch.hpp"
#include "core/nn/device.hpp"

namespace dipaco {

/// The angles of rotary positions 0 to n - 1 as cosines and sines [n, head_size / 2]: position / base^(2k / head_size).
struct RotaryTable {
  RotaryTable(std::int64_t n, std::int64_t head_size, double base, const Place& place);

  at::Tensor cosines;
  at::Tensor sines;
};

/// Rows first to first + count - 1 of `batch`.
Batch rows_of(const Batch& batch, std::int64_t first, std::int64_t count);

/// Positions in the loss.
std::int64_t loss_positions(const Batch& batch);

/// [n] int64: indices for LibTorch.
at::Tensor int64_tensor(std::span<const std::int32_t> values, const Place& place);
at::Tensor int64_tensor(std::span<const std::int64_t> values, const Place& place);

/// Positions up to which a mask [length, length] is no larger than what a block makes of a row, [length, MLP's width].
/// Within them it is faster than to go from document to document.
std::int64_t masked_length(const ModelOptions& model);

/// A batch as the transformer reads it; positions of all rows lie in one dimension of rows * length.
struct BatchTensors {
  /// REQUIRES arrays of [rows, length] and positions within `table`.
  /// @param masked  most positions of a row whose documents are told apart by a mask, on a CPU with kernels of our own
  BatchTensors(const Batch& batch, const RotaryTable& table, const Place& place, std::int64_t masked);

  std::int64_t rows = 0;
  std::int64_t length = 0;
  at::Tensor tokens;                 ///< [rows * length] int64
  at::Tensor cosines;                ///< [rows * length, head_size / 2]
  at::Tensor sines;                  ///< [rows * length, head_size / 2]
  std::vector<std::int32_t> starts;  ///< where documents begin and the last one ends, ascending; empty: one in each row
  at::Tensor starts_on_device;       ///< the same, int32, on a GPU; undefined elsewhere, and where `starts` is empty
  std::int64_t longest = 0;          ///< positions of the longest document; length where `starts` is empty
  at::Tensor mask;  ///< [rows, 1, length, length] 0 or -inf, added to scores; undefined where documents go one by one
  at::Tensor loss_positions;  ///< [k] int64, ascending: where targets are
  at::Tensor loss_targets;    ///< [k] int64
};

}  // namespace dipaco
