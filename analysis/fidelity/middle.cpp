#include "analysis/fidelity/middle.hpp"

#include <algorithm>
#include <iterator>

namespace dipaco::analysis {

double middle(std::vector<double> values) {
  const auto at = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace dipaco::analysis
