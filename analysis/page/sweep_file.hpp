#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/study/axis.hpp"
#include "analysis/study/sweep_tables.hpp"

namespace dipaco::analysis {

/// A sweep as its sweep.csv has it: the axes with the values that occur, in their order, and a run a row. Of summaries
/// numbers alone.
struct SweepFile {
  std::vector<Axis> axes;
  std::vector<SweptRun> runs;
};

/// Reads sweep.csv of a folder. @throws DataError naming file and line
SweepFile read_sweep(const std::filesystem::path& folder);

/// The cells of a CSV text, row by row. Quoted cells may hold commas, and quotes twice.
std::vector<std::vector<std::string>> csv_cells(const std::string& text);

}  // namespace dipaco::analysis
