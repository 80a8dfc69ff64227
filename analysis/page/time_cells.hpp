#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace dipaco::analysis {

/// A run's duration parted into equal stretches.
class TimeCells {
 public:
  /// REQUIRES a duration above 0
  TimeCells(double duration, std::size_t count) : width_(duration / static_cast<double>(count)), count_(count) {}

  std::size_t count() const { return count_; }
  double width() const { return width_; }
  double begin(std::size_t cell) const { return static_cast<double>(cell) * width_; }

  /// Calls `take(cell, seconds)` for each cell that has a part of [begin, end).
  template <class Take>
  void part(double begin, double end, Take take) const {
    for (auto cell = static_cast<std::size_t>(std::max(begin, 0.0) / width_); cell < count_; ++cell) {
      const double from = std::max(begin, this->begin(cell));
      const double until = std::min(end, this->begin(cell + 1));
      if (until > from) take(cell, until - from);
      if (end <= this->begin(cell + 1)) return;
    }
  }

  std::vector<double> middles() const {
    std::vector<double> times;
    for (std::size_t cell = 0; cell < count_; ++cell) times.push_back(begin(cell) + width_ / 2);
    return times;
  }

 private:
  double width_;
  std::size_t count_;
};

/// Of a chart over time.
inline constexpr std::size_t kChartCells = 300;

}  // namespace dipaco::analysis
