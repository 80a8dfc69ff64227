#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dipaco {

/// How far one stage of a program is, and the lines that say so. Pure logic: it is told how long the stage has lasted.
struct ProgressStage {
  std::string name;             ///< "pretraining", "outer steps"; empty: there is none
  std::int64_t first_done = 0;  ///< where the stage began: time left counts what was done since
  std::int64_t done = 0;
  std::int64_t total = 0;  ///< 0: not known
  std::string detail{};    ///< what else is worth a glance

  /// How many tenths are done; 0 where the total is not known.
  int tenth() const;
  /// "training 4/40, loss 3.2".
  std::string plain_line() const;
  /// "training [##..................] 4/40, loss 3.2, 1:05 left": without a bar where the total is not known.
  std::string bar_line(std::chrono::duration<double> lasted) const;
  /// The same in at most `columns`: of a longer detail the last parts, parted by commas, are left out.
  std::string bar_line(std::chrono::duration<double> lasted, std::size_t columns) const;
};

}  // namespace dipaco
