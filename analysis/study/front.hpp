#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace dipaco::analysis {

/// Which of these pairs no other one beats in one figure without losing in the other (the Pareto front), by rising
/// first figure. Of equal pairs the first.
std::vector<std::size_t> pareto_front(const std::vector<std::pair<double, double>>& figures);

}  // namespace dipaco::analysis
