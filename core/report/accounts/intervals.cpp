#include "core/report/accounts/intervals.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace dipaco {

Intervals Intervals::merged(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  Intervals result;
  for (const Interval& one : intervals) {
    if (!(one.begin < one.end)) continue;
    if (!result.parts_.empty() && one.begin <= result.parts_.back().end) {
      result.parts_.back().end = std::max(result.parts_.back().end, one.end);
    } else {
      result.parts_.push_back(one);
    }
  }
  return result;
}

Seconds Intervals::total() const {
  Seconds sum{};
  for (const Interval& part : parts_) sum += part.end - part.begin;
  return sum;
}

Intervals Intervals::within(const Intervals& other) const {
  Intervals result;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < parts_.size() && j < other.parts_.size()) {
    const Interval& a = parts_[i];
    const Interval& b = other.parts_[j];
    const Interval both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
    if (both.begin < both.end) result.parts_.push_back(both);
    if (a.end < b.end) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

Intervals Intervals::without(const Intervals& other) const {
  Intervals result;
  std::size_t j = 0;
  for (const Interval& part : parts_) {
    Seconds from = part.begin;
    while (j < other.parts_.size() && other.parts_[j].end <= from) ++j;
    for (std::size_t k = j; k < other.parts_.size() && other.parts_[k].begin < part.end; ++k) {
      if (from < other.parts_[k].begin) result.parts_.push_back({from, other.parts_[k].begin});
      from = std::max(from, other.parts_[k].end);
    }
    if (from < part.end) result.parts_.push_back({from, part.end});
  }
  return result;
}

Intervals Intervals::with(const Intervals& other) const {
  std::vector<Interval> all = parts_;
  all.insert(all.end(), other.parts_.begin(), other.parts_.end());
  return merged(std::move(all));
}

}  // namespace dipaco
