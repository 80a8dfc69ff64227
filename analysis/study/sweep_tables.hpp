#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/axis.hpp"
#include "analysis/study/spread.hpp"
#include "analysis/table.hpp"

namespace dipaco::analysis {

/// A run of a sweep: where it lies, and what it came to.
struct SweptRun {
  std::vector<std::string> point;  ///< a value of each axis
  std::uint64_t seed = 0;
  nlohmann::json summary;  ///< the run's summary.json; null where it did not end
  std::string error;       ///< why not
};

/// A row a run: the axes, the seed, the error, and every key of the summaries, sorted.
std::string sweep_csv(const std::vector<Axis>& axes, const std::vector<SweptRun>& runs);

/// A row a point: the axes, how many runs ended, and for each figure of the summaries its median and, behind it, _low
/// and _high of the median's interval (spread_of).
std::string points_csv(const std::vector<Axis>& axes, const std::vector<SweptRun>& runs);

/// For a person: a row a point, with the figures in `shown`; where points have several runs, a row a point and figure,
/// with its median and the median's interval. A figure that no run has is left out.
Table points_table(const std::vector<Axis>& axes, const std::vector<SweptRun>& runs,
                   const std::vector<std::string>& shown);

/// How a figure of a summary is written for a person, by its key.
Unit unit_of(std::string_view key);

/// Every figure of the summaries, sorted: what `shown` may name.
std::vector<std::string> figures_of(const std::vector<SweptRun>& runs);

}  // namespace dipaco::analysis
