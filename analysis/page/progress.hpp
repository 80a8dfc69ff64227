#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/page/charts.hpp"
#include "analysis/run_files.hpp"
#include "analysis/trace_file.hpp"

namespace dipaco::analysis {

/// A run as a page shows it.
struct PageRun {
  std::string name;
  Run run;
  Trace trace;
};

/// "simulated time", or "time" where a run is a real one.
ChartAxis time_axis(std::span<const PageRun> runs);

/// Training loss and perplexity over time, over bytes between sites and over dollars; bytes and dollars over time. A
/// curve a run, whose colour is its place. A chart that no run has anything for is left out.
std::vector<Chart> progress_charts(std::span<const PageRun> runs);

}  // namespace dipaco::analysis
