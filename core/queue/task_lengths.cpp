#include "core/queue/task_lengths.hpp"

#include <algorithm>
#include <cmath>

namespace dipaco {

std::int32_t TaskLengths::usual(double speed, const Speeds& speeds) const {
  if (!differ() || speeds.is_fast(speed)) return static_cast<std::int32_t>(most_);
  const double as_fast = speed / speeds.fastest() * static_cast<double>(most_);
  return std::max(static_cast<std::int32_t>(std::floor(as_fast)), 1);
}

std::int32_t TaskLengths::next(const PathEntry& path, double speed, const Speeds& speeds) const {
  const std::int32_t steps = usual(speed, speeds);
  return differ() ? static_cast<std::int32_t>(std::min<std::int64_t>(steps, of_a_path_ - path.trained)) : steps;
}

double TaskLengths::lacks(std::int64_t trained, OuterStep round) const {
  const std::int64_t aim = std::min(number(round) * fourth() + most_, of_a_path_);
  return static_cast<double>(std::max<std::int64_t>(aim - trained, 0)) / static_cast<double>(most_);
}

}  // namespace dipaco
