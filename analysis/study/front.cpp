#include "analysis/study/front.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dipaco::analysis {

std::vector<std::size_t> pareto_front(const std::vector<std::pair<double, double>>& figures) {
  std::vector<std::size_t> order(figures.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return figures[a] < figures[b]; });
  std::vector<std::size_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t k : order) {
    if (figures[k].second >= least) continue;
    least = figures[k].second;
    front.push_back(k);
  }
  return front;
}

}  // namespace dipaco::analysis
