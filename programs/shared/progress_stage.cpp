#include "programs/shared/progress_stage.hpp"

#include <algorithm>

namespace dipaco {
namespace {

constexpr std::int64_t kBarWidth = 20;

std::string count_text(const ProgressStage& stage) {
  std::string text = std::to_string(stage.done);
  if (stage.total > 0) text.append("/").append(std::to_string(stage.total));
  if (!stage.detail.empty()) text.append(", ").append(stage.detail);
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

std::string time_left(const ProgressStage& stage, std::chrono::duration<double> lasted) {
  if (stage.total <= stage.done || stage.done <= stage.first_done) return "";
  const auto done_here = static_cast<double>(stage.done - stage.first_done);
  const double left = lasted.count() / done_here * static_cast<double>(stage.total - stage.done);
  return ", " + clock_text(static_cast<std::int64_t>(left)) + " left";
}

}  // namespace

int ProgressStage::tenth() const { return total > 0 ? static_cast<int>(10 * done / total) : 0; }

std::string ProgressStage::plain_line() const { return name + " " + count_text(*this); }

std::string ProgressStage::bar_line(std::chrono::duration<double> lasted) const {
  return name + " " + bar_text(done, total) + count_text(*this) + time_left(*this, lasted);
}

std::string ProgressStage::bar_line(std::chrono::duration<double> lasted, std::size_t columns) const {
  ProgressStage shorter = *this;
  std::string line = bar_line(lasted);
  while (line.size() > columns && !shorter.detail.empty()) {
    const std::size_t comma = shorter.detail.rfind(", ");
    shorter.detail.resize(comma == std::string::npos ? 0 : comma);
    line = shorter.bar_line(lasted);
  }
  line.resize(std::min(line.size(), columns));
  return line;
}

}  // namespace dipaco
