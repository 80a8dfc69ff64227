#include "core/nn/batch_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/base/error.hpp"
#include "core/model/layout.hpp"

namespace dipaco {
namespace {

/// [n] of `Element`s. From pinned memory a copy waits for nothing that a GPU still has to do.
template <class Element, class Integer>
at::Tensor to_device(std::span<const Integer> values, const Place& place) {
  const at::TensorOptions options =
      at::TensorOptions(c10::CppTypeToScalarType<Element>::value).pinned_memory(!place.device.is_cpu());
  const at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, options);
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<Element>());
  return tensor.to(place.device, /*non_blocking=*/true);
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

/// [documents + 1]: padding is one of them.
std::vector<std::int32_t> starts_of(const Batch& batch) {
  std::vector<std::int32_t> starts;
  for (std::int64_t t = 0; t < batch.rows * batch.length; ++t) {
    const auto at = static_cast<std::size_t>(t);
    if (t % batch.length == 0 || batch.segments[at] != batch.segments[at - 1]) {
      starts.push_back(static_cast<std::int32_t>(t));
    }
  }
  starts.push_back(static_cast<std::int32_t>(batch.rows * batch.length));
  return starts;
}

std::int64_t longest_of(std::span<const std::int32_t> starts) {
  std::int32_t longest = 0;
  for (std::size_t k = 1; k < starts.size(); ++k) longest = std::max(longest, starts[k] - starts[k - 1]);
  return longest;
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

at::Tensor int64_tensor(std::span<const std::int32_t> values, const Place& place) {
  return to_device<std::int64_t>(values, place);
}

at::Tensor int64_tensor(std::span<const std::int64_t> values, const Place& place) {
  return to_device<std::int64_t>(values, place);
}

std::int64_t loss_positions(const Batch& batch) {
  return std::count_if(batch.targets.begin(), batch.targets.end(), [](std::int32_t target) { return target >= 0; });
}

std::int64_t masked_length(const ModelOptions& model) { return mlp_width(model); }

BatchTensors::BatchTensors(const Batch& batch, const RotaryTable& table, const Place& place, std::int64_t masked)
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
  const bool several = std::any_of(batch.segments.begin(), batch.segments.end(), second);
  if (several) starts = starts_of(batch);
  longest = several ? longest_of(starts) : length;
  if (several && !place.device.is_cpu()) {
    starts_on_device = to_device<std::int32_t>(std::span<const std::int32_t>(starts), place);
  } else if (several && place.own_kernels && length <= masked) {
    mask = mask_of(batch);
  }
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
