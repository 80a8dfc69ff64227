#include "backends/sim/scenario/availability.hpp"

#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::string_view kHeader = "time_s,available";

class AvailabilityReader {
 public:
  explicit AvailabilityReader(const std::filesystem::path& csv) : csv_(csv) {}

  std::vector<AvailabilityStep> read() {
    std::string_view rest;
    const std::string text = read_text(csv_);
    rest = text;
    while (!rest.empty()) {
      ++line_;
      const auto end = rest.find('\n');
      read_line(trim(rest.substr(0, end)));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (steps_.empty()) throw DataError(csv_.string() + ": no rows; a row is a time in seconds and a count: 0,4");
    return std::move(steps_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(csv_.string() + ":" + std::to_string(line_) + ": " + what);
  }

  void read_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    if (!header_) {
      if (line != kHeader) fail("the header is \"" + std::string(line) + "\"; it must be " + std::string(kHeader));
      header_ = true;
      return;
    }
    const auto cells = split(line, ',');
    if (cells.size() != 2) fail("a row has two cells, as in 300,4; here are " + std::to_string(cells.size()));
    for (const std::string& cell : cells) {
      if (cell.empty()) fail("an empty cell; write how many machines are available, 0 where none is");
    }
    const auto time = parse_number(cells[0]);
    if (!time || *time < 0)
      fail("the time \"" + cells[0] + "\" is no number of seconds from 0; write seconds since the run began");
    const auto machines = parse_integer(cells[1]);
    if (!machines || *machines < 0)
      fail("the count \"" + cells[1] + "\" is no whole number from 0; write how many machines are available");
    if (steps_.empty() && *time != 0) fail("the first time is " + cells[0] + "; it must be 0");
    if (!steps_.empty() && *time <= steps_.back().time.count()) {
      fail("the time " + cells[0] + " does not come after " + format_number(steps_.back().time.count()) +
           "; times rise from row to row");
    }
    steps_.push_back({Seconds(*time), *machines});
  }

  const std::filesystem::path& csv_;
  int line_ = 0;
  bool header_ = false;
  std::vector<AvailabilityStep> steps_;
};

}  // namespace

std::vector<AvailabilityStep> read_availability(const std::filesystem::path& csv) {
  return AvailabilityReader(csv).read();
}

}  // namespace dipaco
