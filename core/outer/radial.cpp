#include "core/outer/radial.hpp"

#include <cmath>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

double norm_of(std::span<const float> values) {
  double squares = 0;
  for (const float value : values) squares += static_cast<double>(value) * value;
  return std::sqrt(squares);
}

void scale(std::span<float> values, double factor) {
  for (float& value : values) value = static_cast<float>(value * factor);
}

}  // namespace

std::vector<float> to_radial(std::span<const float> values, std::span<const PartTensor> tensors) {
  std::vector<float> all(values.begin(), values.end());
  for (const PartTensor& tensor : tensors) {
    const std::span<float> part = std::span(all).subspan(tensor.offset, tensor.size);
    const double norm = tensor.plain ? 0 : norm_of(part);
    if (norm != 0) scale(part, 1 / norm);
    all.push_back(static_cast<float>(norm));
  }
  return all;
}

std::vector<float> from_radial(std::span<const float> mean, std::span<const PartTensor> tensors) {
  check(mean.size() >= tensors.size(), "behind a part's values stand its tensors' norms");
  const std::span<const float> norms = mean.last(tensors.size());
  std::vector<float> direction(mean.begin(), mean.end() - static_cast<std::ptrdiff_t>(tensors.size()));
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    if (tensors[k].plain) continue;
    const std::span<float> part = std::span(direction).subspan(tensors[k].offset, tensors[k].size);
    const double norm = norm_of(part);
    if (norm != 0) scale(part, norms[k] / norm);
  }
  return direction;
}

}  // namespace dipaco
