#include "core/outer/buffer.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {

std::int64_t gathered(std::int64_t buffer, std::int32_t paths) { return std::min(buffer, std::int64_t{paths}); }

std::vector<StateArray> OuterBuffer::arrays() const {
  std::vector<StateArray> all = optimizer_->arrays();
  all.push_back({.name = "buffer"});
  return all;
}

void OuterBuffer::step(const StepInfo& info, std::span<float> parameters, StateArrays state,
                       std::span<const float> direction) const {
  check(!state.empty() && state.back().size() == direction.size(), "a buffer is as long as the direction");
  const std::int64_t contributions = gathered(buffer_, info.paths);
  check(contributions > 0, "a part steps after at least one contribution");
  const std::span<float> buffer = state.back();
  for (std::size_t k = 0; k < buffer.size(); ++k) buffer[k] += direction[k];
  if ((std::int64_t{number(info.version)} + 1) % contributions != 0) return;
  const auto mean = static_cast<float>(1.0 / static_cast<double>(contributions));
  for (float& value : buffer) value *= mean;
  const auto steps = static_cast<std::int32_t>(number(info.version) / contributions);
  optimizer_->step({.version = Version{steps}, .paths = info.paths}, parameters, state.first(state.size() - 1), buffer);
  std::ranges::fill(buffer, 0.0F);
}

}  // namespace dipaco
