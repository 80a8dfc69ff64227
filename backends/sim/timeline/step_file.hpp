#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/units.hpp"

namespace dipaco {

/// A CSV of what holds from a time on: a header `time_s,NAME`, then a row a change; lines that start with `#` are
/// comments. Times start at 0, in seconds of the run's clock, and rise.
struct StepFile {
  std::filesystem::path csv;
  std::string_view name;       ///< of the second column
  std::string_view row;        ///< an example: "300,4"
  std::string_view empty;      ///< what to write where a cell is empty
  std::string_view row_means;  ///< "a time in seconds and a count: 0,4"
};

/// Calls `take` with each row's time and second cell; it returns what is wrong with that cell, or "".
/// @throws DataError naming file, line, value and remedy: another header, an empty cell, text in a number, a time that
///         does not rise, a second cell that `take` refuses, no rows
void read_steps(const StepFile& file, const std::function<std::string(Seconds, const std::string&)>& take);

}  // namespace dipaco
