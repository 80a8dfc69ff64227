#pragma once

#include <string>
#include <vector>

namespace dipaco::analysis {

/// A key of a run file, or a change of a scenario, and the values that a study gives it.
struct Axis {
  std::string key;
  std::vector<std::string> values;
};

/// Reads "KEY=VALUE,VALUE,..." in which a value may be a range:
///   FIRST..LAST*N  N values, evenly apart by ratio, rounded to four digits
///   FIRST..LAST+D  from FIRST by steps of D, as far as LAST
/// Whole numbers stay whole. Both ends, and D, have the same kind of unit: a rate, a time, a size, or none. A value in
/// double quotes is taken as it is, with its commas; two quotes in it stand for one, as in CSV.
/// @throws ConfigError naming what is wrong with it and what to write
Axis parse_axis(const std::string& text);

/// Every choice of one value of each axis, the last axis changing first: [points][axes]. One empty point of no axes.
std::vector<std::vector<std::string>> grid(const std::vector<Axis>& axes);

}  // namespace dipaco::analysis
