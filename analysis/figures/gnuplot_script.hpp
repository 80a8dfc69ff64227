#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/page/charts.hpp"

namespace dipaco::analysis {

/// Between what a curve's runs of several seeds came to, at each of its points.
struct Band {
  std::vector<double> low;
  std::vector<double> high;
};

/// A chart as a picture has it.
struct Picture {
  Chart chart;
  std::vector<Band> bands{};                            ///< one a series, or none at all
  bool logarithmic = false;                             ///< its x, whose values are then above 0
  std::vector<std::pair<double, std::string>> ticks{};  ///< of x; empty: gnuplot chooses
};

/// What gnuplot draws ID.svg from, in its working folder: white, 900 x 420, in the colours of the page. No text of the
/// chart is taken as a command. REQUIRES series, each with points
std::string gnuplot_script(const Picture& picture);

}  // namespace dipaco::analysis
