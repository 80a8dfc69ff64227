#include "core/outer/delayed_nesterov.hpp"

#include "core/base/error.hpp"

namespace dipaco {
namespace {

void move(std::span<float> parameters, std::span<const float> velocity, std::span<const float> direction, float rate,
          float gradient_share, float velocity_share) {
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    parameters[k] -= rate * (gradient_share * direction[k] + velocity_share * velocity[k]);
  }
}

}  // namespace

void OuterDelayedNesterov::step(const StepInfo& info, std::span<float> parameters, StateArrays state,
                                std::span<const float> direction) const {
  const std::size_t size = parameters.size();
  check(state.size() == 2 && state[0].size() == size && state[1].size() == size && direction.size() == size,
        "delayed Nesterov has two state arrays, as long as the parameters");
  const std::int64_t delay = options_.delay > 0 && info.paths > 1 ? options_.delay : info.paths;
  check(delay > 0, "the momentum is updated after at least one step");
  const std::span<float> velocity = state[0];
  const std::span<float> buffer = state[1];
  const auto mean = static_cast<float>(1.0 / static_cast<double>(delay));
  const auto rate = static_cast<float>(options_.rate);
  for (std::size_t k = 0; k < size; ++k) buffer[k] += direction[k];
  if ((std::int64_t{number(info.version)} + 1) % delay != 0) {
    return move(parameters, velocity, direction, rate, mean, static_cast<float>(options_.between * options_.momentum));
  }
  const auto momentum = static_cast<float>(options_.momentum);
  for (std::size_t k = 0; k < size; ++k) {
    velocity[k] = momentum * velocity[k] + mean * buffer[k];
    buffer[k] = 0;
  }
  const double rest = 1 - options_.between * static_cast<double>(delay - 1);
  move(parameters, velocity, direction, rate, mean, static_cast<float>(rest * options_.momentum));
}

}  // namespace dipaco
