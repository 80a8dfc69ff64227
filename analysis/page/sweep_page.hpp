#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/page/sweep_file.hpp"
#include "analysis/study/points.hpp"
#include "analysis/table.hpp"

namespace dipaco::analysis {

/// Those that differ between points, the main ones first, as many as a page may hold.
std::vector<std::string> shown_figures(const std::vector<SweptPoint>& points, const std::vector<SweptRun>& runs);
/// What most people look at: durations, costs, goodput, perplexity.
bool is_main_figure(const std::string& key);

/// Which points no other beats in duration and cost: dollars, or bytes between sites where there are no prices.
struct SweepFront {
  std::string duration;            ///< figure of summary.json; "": the runs have none of both
  std::string cost;                ///< the same
  std::vector<std::size_t> front;  ///< places of points, by rising duration
};
SweepFront front_of(const std::vector<SweptPoint>& points, const std::vector<std::string>& figures);

/// What the page's script draws from: axes with values and numbers, points by places on the axes, and of each figure
/// that is not the same everywhere medians and, where points have several runs, their intervals.
nlohmann::ordered_json sweep_json(const SweepFile& sweep, const std::vector<SweptPoint>& points,
                                  const std::vector<std::string>& figures);

/// A row a point, up to 1,500: its values, whether it is on the front, and the main ones of `figures`.
Table points_table(const SweepFile& sweep, const std::vector<SweptPoint>& points,
                   const std::vector<std::string>& figures, const SweepFront& front);
/// Runs that did not end, and why.
Table failures_table(const SweepFile& sweep);

/// A sweep: a curve of each figure over an axis, a heat map over two, the front of duration and cost, all points.
std::string sweep_page(const std::string& folder, const SweepFile& sweep);

}  // namespace dipaco::analysis
