#include "programs/shared/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <string>

namespace dipaco {
namespace {

constexpr int kColumns = 80;
constexpr std::chrono::milliseconds kBetween{100};

}  // namespace

int stderr_columns() {
  if (isatty(STDERR_FILENO) != 1) return 0;
  struct winsize size {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kColumns;
}

Progress::Progress(std::ostream& out, ProgressMode mode, Columns columns)
    : out_(out),
      columns_(columns),
      enabled_(mode != ProgressMode::off),
      bar_(columns() > 0 || mode == ProgressMode::on) {}

Progress::~Progress() { finish(); }

void Progress::show(std::string_view stage, std::int64_t done, std::int64_t total, std::string_view detail) {
  if (!enabled_) return;
  if (stage != stage_.name) begin(stage, done);
  stage_.done = done;
  stage_.total = total;
  stage_.detail = detail;
  if (bar_) {
    show_bar(done == total);
  } else {
    show_line();
  }
}

void Progress::begin(std::string_view stage, std::int64_t done) {
  finish();
  stage_ = {.name = std::string(stage), .first_done = done};
  tenth_ = -1;
  began_ = Clock::now();
  shown_ = {};
}

void Progress::finish() {
  if (open_) {
    show_bar(true);
    out_ << '\n' << std::flush;
  } else if (!stage_.name.empty() && stage_.total == 0 && stage_.done != stage_.first_done) {
    out_ << stage_.name << ' ' << stage_.done << std::endl;
  }
  open_ = false;
  stage_ = {};
}

void Progress::show_line() {
  if (stage_.tenth() == tenth_) return;
  tenth_ = stage_.tenth();
  out_ << stage_.plain_line() << std::endl;
}

void Progress::show_bar(bool always) {
  const auto now = Clock::now();
  if (!always && now - shown_ < kBetween) return;
  shown_ = now;
  const int columns = columns_();
  // A full last column would wrap.
  const auto width = static_cast<std::size_t>((columns > 0 ? std::min(columns, kColumns) : kColumns) - 1);
  std::string line = stage_.bar_line(now - began_, width);
  line.resize(width, ' ');
  out_ << '\r' << line << std::flush;
  open_ = true;
}

}  // namespace dipaco
