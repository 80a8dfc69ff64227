#include "core/nn/batch_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

template <class Integer>
at::Tensor to_int64(std::span<const Integer> values, const Place& place) {
  const at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<std::int64_t>());
  return tensor.to(place.device);
}

/// Padding attends to padding: no row of scores is -inf throughout, which would make numbers that are none.
at::Tensor mask_of(const Batch& batch) {
  constexpr float kBarred = -std::numeric_limits<float>::infinity();
  const at::Tensor mask = at::full({batch.rows, 1, batch.length, batch.length}, kBarred, at::kFloat);
  float* scores = mask.mutable_data_ptr<float>();
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    const std::int32_t* const segments = batch.segments.data() + row * batch.length;
    std::int64_t begin = 0;
    for (std::int64_t t = 0; t < batch.length; ++t, scores += batch.length) {
      if (segments[t] != segments[begin]) begin = t;
      std::fill(scores + begin, scores + t + 1, 0.0F);
    }
  }
  return mask;
}

/// The same. A row's segments have numbers of their own, so that positions of one are those of the same number.
at::Tensor mask_by_library(const Batch& batch, const Place& place) {
  const at::Tensor segments = int64_tensor(batch.segments, place).view({batch.rows, 1, batch.length});
  const at::Tensor seen = (segments.transpose(1, 2) == segments).tril().unsqueeze(1);
  return at::zeros(seen.sizes(), place.floats())
      .masked_fill_(seen.logical_not(), -std::numeric_limits<float>::infinity());
}

}  // namespace

RotaryTable::RotaryTable(std::int64_t n, std::int64_t head_size, double base, const Place& place)
    : cosines(at::empty({n, head_size / 2}, at::kFloat)), sines(at::empty_like(cosines)) {
  const std::int64_t half = head_size / 2;
  float* const c = cosines.mutable_data_ptr<float>();
  float* const s = sines.mutable_data_ptr<float>();
  for (std::int64_t k = 0; k < half; ++k) {
    const double frequency = std::pow(base, -2.0 * static_cast<double>(k) / static_cast<double>(head_size));
    for (std::int64_t t = 0; t < n; ++t) {
      const double angle = static_cast<double>(t) * frequency;
      c[t * half + k] = static_cast<float>(std::cos(angle));
      s[t * half + k] = static_cast<float>(std::sin(angle));
    }
  }
  cosines = cosines.to(place.device);
  sines = sines.to(place.device);
}

Batch rows_of(const Batch& batch, std::int64_t first, std::int64_t count) {
  const auto part = [&](const std::vector<std::int32_t>& all) {
    const auto begin = all.begin() + first * batch.length;
    return std::vector<std::int32_t>(begin, begin + count * batch.length);
  };
  return {.rows = count,
          .length = batch.length,
          .tokens = part(batch.tokens),
          .targets = part(batch.targets),
          .segments = part(batch.segments),
          .positions = part(batch.positions)};
}

at::Tensor int64_tensor(std::span<const std::int32_t> values, const Place& place) { return to_int64(values, place); }

at::Tensor int64_tensor(std::span<const std::int64_t> values, const Place& place) { return to_int64(values, place); }

std::int64_t loss_positions(const Batch& batch) {
  return std::count_if(batch.targets.begin(), batch.targets.end(), [](std::int32_t target) { return target >= 0; });
}

BatchTensors::BatchTensors(const Batch& batch, const RotaryTable& table, const Place& place)
    : rows(batch.rows), length(batch.length) {
  const auto size = static_cast<std::size_t>(rows * length);
  check(batch.tokens.size() == size && batch.targets.size() == size && batch.segments.size() == size &&
            batch.positions.size() == size,
        "a batch's arrays are [rows, length]");
  tokens = int64_tensor(batch.tokens, place);
  const at::Tensor positions = int64_tensor(batch.positions, place);
  cosines = table.cosines.index_select(0, positions);
  sines = table.sines.index_select(0, positions);
  const auto second = [](std::int32_t segment) { return segment > 0; };
  if (std::any_of(batch.segments.begin(), batch.segments.end(), second))
    mask = place.own_kernels ? mask_of(batch) : mask_by_library(batch, place);
  std::vector<std::int32_t> where, what;
  for (std::size_t t = 0; t < size; ++t) {
    if (batch.targets[t] < 0) continue;
    where.push_back(static_cast<std::int32_t>(t));
    what.push_back(batch.targets[t]);
  }
  loss_positions = int64_tensor(where, place);
  loss_targets = int64_tensor(what, place);
}

}  // namespace dipaco
