#pragma once

#include <span>
#include <string>

#include "analysis/page/progress.hpp"

namespace dipaco::analysis {

/// One run: what it came to, how it learned, where time, bytes and dollars went, and who waited for whom.
std::string run_page(const PageRun& run);

/// Several runs: their curves over one another, the settings that differ, their tables side by side.
std::string runs_page(std::span<const PageRun> runs);

}  // namespace dipaco::analysis
