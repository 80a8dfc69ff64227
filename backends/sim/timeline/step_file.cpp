#include "backends/sim/timeline/step_file.hpp"

#include <optional>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

class StepFileReader {
 public:
  using Take = std::function<std::string(Seconds, const std::string&)>;

  StepFileReader(const StepFile& file, const Take& take) : file_(file), take_(take) {}

  void read() {
    const std::string text = read_text(file_.csv);
    std::string_view rest = text;
    while (!rest.empty()) {
      ++line_;
      const auto end = rest.find('\n');
      read_line(trim(rest.substr(0, end)));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    if (!last_) throw DataError(file_.csv.string() + ": no rows; a row is " + std::string(file_.row_means));
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(file_.csv.string() + ":" + std::to_string(line_) + ": " + what);
  }

  void read_line(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    if (!header_) {
      const std::string header = "time_s," + std::string(file_.name);
      if (line != header) fail("the header is \"" + std::string(line) + "\"; it must be " + header);
      header_ = true;
      return;
    }
    const auto cells = split(line, ',');
    if (cells.size() != 2) {
      fail("a row has two cells, as in " + std::string(file_.row) + "; here are " + std::to_string(cells.size()));
    }
    for (const std::string& cell : cells) {
      if (cell.empty()) fail("an empty cell; write " + std::string(file_.empty));
    }
    const Seconds time = read_time(cells[0]);
    if (const std::string wrong = take_(time, cells[1]); !wrong.empty()) fail(wrong);
    check_order(cells[0], time);
    last_ = time;
  }

  Seconds read_time(const std::string& cell) const {
    const auto time = parse_number(cell);
    if (!time || *time < 0)
      fail("the time \"" + cell + "\" is no number of seconds from 0; write seconds since the run began");
    return Seconds(*time);
  }

  void check_order(const std::string& cell, Seconds time) const {
    if (!last_ && time != Seconds(0)) fail("the first time is " + cell + "; it must be 0");
    if (last_ && time <= *last_) {
      fail("the time " + cell + " does not come after " + format_number(last_->count()) +
           "; times rise from row to row");
    }
  }

  const StepFile& file_;
  const Take& take_;
  int line_ = 0;
  bool header_ = false;
  std::optional<Seconds> last_;
};

}  // namespace

void read_steps(const StepFile& file, const std::function<std::string(Seconds, const std::string&)>& take) {
  StepFileReader(file, take).read();
}

}  // namespace dipaco
