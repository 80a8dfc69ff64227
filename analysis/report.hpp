#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/run_files.hpp"
#include "analysis/table.hpp"

namespace dipaco::analysis {

enum class Format { text, json, markdown };

/// Where one run's time and bytes went: summary, worker seconds by site, stages of tasks, slowest outer steps, loss,
/// costs by site and machine, bytes between sites, over links and by kind of message. A table without rows is left out.
std::vector<Table> run_tables(const Run& run);

/// The folders' own names, or all of them as given where two are the same.
std::vector<std::string> run_names(std::span<const Run> runs);

/// Several runs side by side, a column each.
std::vector<Table> comparison_tables(std::span<const Run> runs);

/// One run's tables, or several runs side by side (as JSON: both), ready to print. REQUIRES a run.
std::string report(std::span<const Run> runs, Format format);

}  // namespace dipaco::analysis
