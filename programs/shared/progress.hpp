#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string_view>

#include "programs/shared/progress_stage.hpp"
#include "programs/shared/shared_options.hpp"

namespace dipaco {

/// How far a program is, for a person who waits. On a terminal one line that is written again (at most 10 times a
/// second) with a bar and the wall time left; elsewhere a plain line at each stage's begin, each tenth of it, and its
/// end. With ProgressMode::on it is the bar in any case. Not thread-safe.
class Progress {
 public:
  /// How wide a terminal is now; 0: there is none.
  using Columns = int (*)();

  /// @param out  stderr: results alone go to stdout. `columns`: of the terminal that it is
  Progress(std::ostream& out, ProgressMode mode, Columns columns);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Whether anything is shown at all.
  bool enabled() const { return enabled_; }
  /// @param stage   "pretraining", "outer steps"; another name starts another line
  /// @param total   0: not known
  /// @param detail  what else is worth a glance: "loss 4.21, simulated 2.1 h"
  void show(std::string_view stage, std::int64_t done, std::int64_t total, std::string_view detail = {});
  /// Ends the line, so that other text can follow.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void begin(std::string_view stage, std::int64_t done);
  void show_line();
  void show_bar(bool always);

  std::ostream& out_;
  Columns columns_;
  bool enabled_;
  bool bar_;
  ProgressStage stage_;
  int tenth_ = -1;     ///< the last one told by a plain line
  bool open_ = false;  ///< a terminal's line is not ended
  Clock::time_point began_{};
  Clock::time_point shown_{};
};

/// Of file descriptor 2.
int stderr_columns();

}  // namespace dipaco
