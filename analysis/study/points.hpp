#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/study/spread.hpp"
#include "analysis/study/sweep_tables.hpp"

namespace dipaco::analysis {

/// Runs of a sweep that differ in their seed alone.
struct SweptPoint {
  std::vector<std::string> values;    ///< of each axis
  std::vector<const SweptRun*> runs;  ///< of those that the points were made of
};

/// In the order of their first runs. The runs must live as long as the points.
std::vector<SweptPoint> points_of(const std::vector<SweptRun>& runs);

/// Of the runs that have the figure; nullopt where none has.
std::optional<Spread> spread_at(const SweptPoint& point, const std::string& key);

}  // namespace dipaco::analysis
