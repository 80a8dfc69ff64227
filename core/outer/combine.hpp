#pragma once

#include <span>

namespace dipaco {

/// What becomes of a contribution's values before they are added to a part's next version. Pure: the same input gives
/// the same bits, on any thread.
class Combine {
 public:
  virtual ~Combine() = default;
  /// Changes `values` in place.
  /// @param values  [n] before minus after of a task's inner steps
  /// @param base    [n] the part's parameters that the task began with
  /// @param newest  [n] those of its newest version
  /// @throws std::logic_error if lengths differ
  virtual void adjust(std::span<float> values, std::span<const float> base, std::span<const float> newest) const = 0;
};

/// Delay compensation: what the contribution g would be, had its task begun with the newest version, as far as the
/// square of g stands for the curvature.
///
///   g <- g + strength g g (newest - base)
///
/// Source: DC-ASGD (1609.08326, eq. 5), tried for outer gradients in Asynchronous Local-SGD (2401.09135, section 4).
class DelayCompensation : public Combine {
 public:
  explicit DelayCompensation(double strength) : strength_(strength) {}
  void adjust(std::span<float> values, std::span<const float> base, std::span<const float> newest) const override;

 private:
  double strength_;  ///< lambda
};

}  // namespace dipaco
