#include "core/outer/prune.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// @param sum  whose sign values keep longer; 0: none
void prune_row(std::span<float> row, std::size_t pruned, double sum, std::vector<std::uint32_t>& order) {
  order.resize(row.size());
  std::iota(order.begin(), order.end(), 0);
  const auto goes_first = [&](std::uint32_t one, std::uint32_t other) {
    const auto key = [&](std::uint32_t k) { return std::tuple(row[k] * sum > 0, std::abs(row[k]), k); };
    return key(one) < key(other);
  };
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(pruned), order.end(), goes_first);
  for (std::size_t k = 0; k < pruned; ++k) row[order[k]] = 0;
}

}  // namespace

void prune(std::span<float> values, std::size_t columns, double share, PruneBy by) {
  check(columns > 0 && values.size() % columns == 0, "whole rows are pruned");
  const auto pruned = static_cast<std::size_t>(share * static_cast<double>(columns));
  if (pruned == 0) return;
  std::vector<std::uint32_t> order;
  for (std::size_t begin = 0; begin < values.size(); begin += columns) {
    const std::span<float> row = values.subspan(begin, columns);
    // What is not finite has no order, and is to be found by whoever adds it.
    if (!std::ranges::all_of(row, [](float value) { return std::isfinite(value); })) continue;
    prune_row(row, pruned, by == PruneBy::sign ? std::accumulate(row.begin(), row.end(), 0.0) : 0.0, order);
  }
}

}  // namespace dipaco
