#include "core/queue/ways.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dipaco {
namespace {

/// Of a way that has become slower, half of them have to show it.
constexpr std::size_t kMeasurements = 9;

}  // namespace

void Ways::add(SiteId from, SiteId to, double seconds_a_byte) {
  auto& mine = measured_[{from, to}];
  mine.push_back(seconds_a_byte);
  if (mine.size() > kMeasurements) mine.pop_front();
}

std::optional<double> Ways::seconds_a_byte(SiteId from, SiteId to) const {
  const auto found = measured_.find({from, to});
  if (found == measured_.end()) return std::nullopt;
  std::vector<double> values(found->second.begin(), found->second.end());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace dipaco
