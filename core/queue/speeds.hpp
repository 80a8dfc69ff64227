#pragma once

#include <map>

namespace dipaco {

/// How fast workers are, as far as known. Pure logic.
class Speeds {
 public:
  /// Speeds and times that differ by a smaller share count as equal: the difference is noise.
  static constexpr double kSame = 0.05;

  /// Of a worker, in any one unit; 0: not known.
  void add(double speed) {
    if (speed > 0) ++workers_[speed];
  }
  /// REQUIRES that it was added.
  void remove(double speed) {
    const auto known = workers_.find(speed);
    if (known != workers_.end() && --known->second == 0) workers_.erase(known);
  }

  bool none_known() const { return workers_.empty(); }
  /// 0 where none is known.
  double fastest() const { return none_known() ? 0 : workers_.rbegin()->first; }
  /// None is known to be faster. @param speed  0: not known
  bool is_fast(double speed) const { return speed <= 0 || speed >= (1 - kSame) * fastest(); }
  bool all_equal() const { return none_known() || is_fast(workers_.begin()->first); }

 private:
  std::map<double, int> workers_;  ///< how many have each speed that is known
};

}  // namespace dipaco
