#include "core/queue/durations.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace dipaco {
namespace {

/// The lower one of two in the middle. REQUIRES some. Leaves them in another order.
Seconds median_of(std::span<Seconds> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

Durations::Estimate estimate(std::span<Seconds> values) {
  const Seconds median = median_of(values);
  for (Seconds& value : values) value = value < median ? median - value : value - median;
  return {median, median_of(values)};
}

/// Of one worker's, in no order.
class Copy {
 public:
  explicit Copy(const std::deque<Seconds>& values) : count_(values.size()) { std::ranges::copy(values, copy_.begin()); }
  std::span<Seconds> values() { return std::span(copy_).first(count_); }

 private:
  std::array<Seconds, Durations::kRemembered> copy_{};
  std::size_t count_;
};

}  // namespace

void Durations::add(NodeId worker, Seconds measured) {
  Measured& mine = measured_[worker];
  mine.tasks.push_back(measured);
  if (mine.tasks.size() > kRemembered) mine.tasks.pop_front();
  mine.all = estimate(Copy(mine.tasks).values());
}

std::optional<Durations::Estimate> Durations::of(NodeId worker) const {
  const auto found = measured_.find(worker);
  return found == measured_.end() ? std::nullopt : std::optional(found->second.all);
}

std::optional<Seconds> Durations::newest(NodeId worker) const {
  const auto found = measured_.find(worker);
  return found == measured_.end() ? std::nullopt : std::optional(found->second.tasks.back());
}

std::optional<Durations::Estimate> Durations::of_all() const {
  if (measured_.empty()) return std::nullopt;
  std::vector<Seconds> medians;
  for (const auto& [worker, measured] : measured_) medians.push_back(measured.all.median);
  return estimate(medians);
}

}  // namespace dipaco
