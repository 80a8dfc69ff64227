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
  constexpr double kEachSide = 0.025;
  std::size_t cut = 0;  // so many values are left out at each end
  double binomial = std::exp2(-static_cast<double>(count));
  for (double tail = binomial; tail <= kEachSide && 2 * (cut + 1) < count;) {
    ++cut;
    binomial *= static_cast<double>(count - cut + 1) / static_cast<double>(cut);
    tail += binomial;
  }
  const std::size_t first = cut == 0 ? 0 : cut - 1;
  return {.median = median, .low = values[first], .high = values[count - 1 - first]};
}

}  // namespace dipaco::analysis
