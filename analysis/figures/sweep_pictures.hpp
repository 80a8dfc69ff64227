#pragma once

#include <vector>

#include "analysis/figures/gnuplot_script.hpp"
#include "analysis/page/sweep_file.hpp"
#include "analysis/study/points.hpp"

namespace dipaco::analysis {

/// The main figures that differ between points, each over the first axis whose values are numbers: a curve for each
/// choice of the other axes, at most as many as there are colours, and a band for what seeds make of it; and the points
/// by duration and cost. None where no axis has two numbers.
std::vector<Picture> sweep_pictures(const SweepFile& sweep, const std::vector<SweptPoint>& points);

}  // namespace dipaco::analysis
