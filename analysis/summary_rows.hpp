#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/run_files.hpp"
#include "analysis/table.hpp"

namespace dipaco::analysis {

/// A line of a run's summary, the same for one run and for several side by side.
struct SummaryRow {
  std::string name;
  std::function<Value(const Run&)> value;  ///< empty where the run does not have it
};
std::vector<SummaryRow> summary_rows();

/// Bytes by kind of message, most first; kinds of equal bytes by name.
std::vector<std::pair<std::string, double>> message_kinds(const Run& run);

/// All of few outer steps; of many a dozen, evenly apart, the first and the last among them.
std::vector<OuterStepRow> picked(const std::vector<OuterStepRow>& steps);

}  // namespace dipaco::analysis
