#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

/// The mean training loss of the newest committed task of each path, and the mean of those. Pure logic.
class PathLosses {
 public:
  explicit PathLosses(std::int32_t paths) : losses_(static_cast<std::size_t>(paths)) {}

  /// @param loss  0: nothing committed yet
  void set(PathId path, double loss);
  double of(PathId path) const { return losses_[static_cast<std::size_t>(index(path))]; }
  /// Of the paths that have one; 0 where none has. For a person: sums are rounded as they go.
  double mean() const { return known_ == 0 ? 0 : sum_ / static_cast<double>(known_); }

 private:
  void add_up();

  std::vector<double> losses_;
  double sum_ = 0;
  std::size_t known_ = 0;
  std::size_t changes_ = 0;  ///< since the sum was made of all
};

}  // namespace dipaco
