#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/run_files.hpp"

namespace dipaco::analysis {

/// What runs say of the line from one site to another: of each figure the median over the runs.
struct MeasuredLine {
  std::string from;
  std::string to;
  double rate = 0;     ///< bytes a second of large messages
  double spread = 0;   ///< deviation of its logarithm
  double message = 0;  ///< seconds of a large message
};

/// Of lines that enough messages crossed, by their sites.
std::vector<MeasuredLine> measured_lines(std::span<const Run> runs);

}  // namespace dipaco::analysis
