#include "programs/shared/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <ostream>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kBarWidth = 20;
constexpr int kColumns = 80;
constexpr std::chrono::milliseconds kBetween{100};

std::string count_text(std::int64_t done, std::int64_t total) {
  std::string text = std::to_string(done);
  if (total > 0) text.append("/").append(std::to_string(total));
  return text;
}

std::string bar_text(std::int64_t done, std::int64_t total) {
  if (total <= 0) return "";
  const auto filled = static_cast<std::size_t>(std::clamp<std::int64_t>(kBarWidth * done / total, 0, kBarWidth));
  std::string bar(static_cast<std::size_t>(kBarWidth), '.');
  std::fill_n(bar.begin(), filled, '#');
  return std::string("[") + bar + "] ";
}

std::string two_digits(std::int64_t number) { return std::string(number < 10 ? "0" : "") + std::to_string(number); }

/// "1:05" or "2:00:00".
std::string clock_text(std::int64_t seconds) {
  const std::int64_t minutes = seconds / 60;
  if (minutes < 60) return std::to_string(minutes) + ":" + two_digits(seconds % 60);
  return std::to_string(minutes / 60) + ":" + two_digits(minutes % 60) + ":" + two_digits(seconds % 60);
}

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
  if (stage != stage_) begin(stage, done);
  done_ = done;
  total_ = total;
  detail_ = detail;
  if (bar_) {
    show_bar(done == total);
  } else {
    show_line();
  }
}

void Progress::begin(std::string_view stage, std::int64_t done) {
  finish();
  stage_ = stage;
  first_done_ = done;
  tenth_ = -1;
  began_ = Clock::now();
  shown_ = {};
}

void Progress::finish() {
  if (open_) {
    show_bar(true);
    out_ << '\n' << std::flush;
  } else if (!stage_.empty() && total_ == 0 && done_ != first_done_) {
    out_ << stage_ << ' ' << done_ << std::endl;
  }
  open_ = false;
  stage_.clear();
}

void Progress::show_line() {
  const auto tenth = total_ > 0 ? static_cast<int>(10 * done_ / total_) : 0;
  if (tenth == tenth_) return;
  tenth_ = tenth;
  out_ << stage_ << ' ' << count_text(done_, total_) << (detail_.empty() ? "" : ", ") << detail_ << std::endl;
}

void Progress::show_bar(bool always) {
  const auto now = Clock::now();
  if (!always && now - shown_ < kBetween) return;
  shown_ = now;
  std::string line = stage_ + " " + bar_text(done_, total_) + count_text(done_, total_);
  if (!detail_.empty()) line += ", " + detail_;
  line += time_left(now);
  const int columns = columns_();
  // A full last column would wrap.
  line.resize(static_cast<std::size_t>((columns > 0 ? std::min(columns, kColumns) : kColumns) - 1), ' ');
  out_ << '\r' << line << std::flush;
  open_ = true;
}

std::string Progress::time_left(Clock::time_point now) const {
  if (total_ <= done_ || done_ <= first_done_) return "";
  const double elapsed = std::chrono::duration<double>(now - began_).count();
  const double left = elapsed / static_cast<double>(done_ - first_done_) * static_cast<double>(total_ - done_);
  return ", " + clock_text(static_cast<std::int64_t>(left)) + " left";
}

}  // namespace dipaco
