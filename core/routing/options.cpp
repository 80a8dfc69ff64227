#include "core/routing/options.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {

std::vector<std::int64_t> reshard_steps(const RoutingOptions& options) {
  std::vector<std::int64_t> steps;
  if (options.reshard_at.empty()) return steps;
  for (const auto& word : split(options.reshard_at, ',')) {
    const auto step = parse_integer(word);
    if (!step || *step < 1 || (!steps.empty() && *step <= steps.back())) {
      throw ConfigError("\"" + options.reshard_at +
                        "\" is no list of outer steps; write ascending integers of at least 1, such as 4 or 4,8");
    }
    steps.push_back(*step);
  }
  return steps;
}

std::int32_t drawn_paths(const RoutingOptions& options, std::int32_t paths) {
  return std::max(1, static_cast<std::int32_t>(std::lround(options.sample_paths * paths)));
}

}  // namespace dipaco
