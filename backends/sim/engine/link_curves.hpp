#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/units.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// What crosses links over time, in stretches of one length. It doubles whenever time outgrows the stretches, so that a
/// long run has no more of them than a short one.
class LinkCurves {
 public:
  /// `bytes` cross each of the links, by number, evenly from `begin` until `end`.
  void add(std::span<const std::uint32_t> links, Seconds begin, Seconds end, Bytes bytes);
  BytesOverTime of(std::uint32_t link) const;

 private:
  void double_stretches();

  Seconds stretch_{0.001};
  std::vector<std::vector<double>> bytes_;  ///< [link][stretch]; the last ones may be missing
};

}  // namespace dipaco
