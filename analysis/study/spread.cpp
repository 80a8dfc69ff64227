#include "analysis/study/spread.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace dipaco::analysis {

Spread spread_of(std::vector<double> values) {
  check(!values.empty(), "a spread is of some values");
  std::ranges::sort(values);
  const std::size_t count = values.size();
  const double median = (values[(count - 1) / 2] + values[count / 2]) / 2;
  // P(at most k of count values are below the median) = sum of binomials / 2^count
  const auto n = static_cast<double>(count);
  const auto probability = [&](std::size_t below) {
    const auto k = static_cast<double>(below);
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2.0));
  };
  constexpr double kEachSide = 0.025;
  std::size_t cut = 0;  // so many values are left out at each end
  for (double tail = probability(0); tail <= kEachSide && 2 * (cut + 1) < count; tail += probability(cut)) ++cut;
  const std::size_t first = cut == 0 ? 0 : cut - 1;
  return {.median = median, .low = values[first], .high = values[count - 1 - first]};
}

}  // namespace dipaco::analysis
