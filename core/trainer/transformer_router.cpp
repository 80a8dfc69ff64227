#include "core/trainer/transformer_router.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {

std::size_t router_size(std::size_t n, std::int64_t hidden, std::int32_t path_count) {
  check(hidden > 0 && path_count > 0, "a router has a path to choose");
  return n + static_cast<std::size_t>(path_count) * static_cast<std::size_t>(hidden + 1);
}

TrainState router_start(std::span<const float> parameters, std::int64_t hidden, std::int32_t path_count) {
  const std::size_t size = router_size(parameters.size(), hidden, path_count);
  TrainState state{.parameters = std::vector<float>(size),
                   .first_moment = std::vector<float>(size),
                   .second_moment = std::vector<float>(size),
                   .step = {}};
  std::copy(parameters.begin(), parameters.end(), state.parameters.begin());
  return state;
}

}  // namespace dipaco
