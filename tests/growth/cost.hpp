#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/growth/counter.hpp"

namespace dipaco::testing {

/// A program that has ended with status 0.
struct Ended {
  std::optional<std::uint64_t> counted;  ///< nullopt where that cannot be counted here
  double seconds = 0;                    ///< of processor time, in user space and kernel
  std::string output;                    ///< what it wrote to stdout
};

/// Runs a program to its end, its own children included.
/// @param words  its file, then its arguments
/// @throws std::runtime_error with the end of its stderr if it ends with another status than 0
Ended run_counted(const std::vector<std::string>& words, Counted what = Counted::instructions);

}  // namespace dipaco::testing
