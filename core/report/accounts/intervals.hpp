#pragma once

#include <vector>

#include "core/base/units.hpp"

namespace dipaco {

/// From `begin` until `end`, on the run's clock; empty unless begin < end.
struct Interval {
  Seconds begin{};
  Seconds end{};
};

/// Disjoint intervals in time's order, none of them empty: a set of moments. Only merged() makes one.
class Intervals {
 public:
  Intervals() = default;
  /// The moments that lie in any of `intervals`, which may overlap and come in any order.
  static Intervals merged(std::vector<Interval> intervals);

  const std::vector<Interval>& parts() const { return parts_; }
  Seconds total() const;
  /// Moments of both.
  Intervals within(const Intervals& other) const;
  /// Moments of this that are not in `other`.
  Intervals without(const Intervals& other) const;
  /// Moments of any of the two.
  Intervals with(const Intervals& other) const;

 private:
  std::vector<Interval> parts_;
};

}  // namespace dipaco
