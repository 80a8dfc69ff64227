#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/report/report.hpp"
#include "tests/report/made_up_run.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco::testing {

TEST_CASE("trace.json has the critical path as a process of its own", "[report]") {
  const auto run = made_up_run();
  const TemporaryFolder folder;
  write_outputs(run.facts, run.events, {.folder = folder.path()});
  const auto trace = nlohmann::json::parse(read_text(folder.path() / "trace.json"));
  std::pair<int, int> own{-1, -1};  // pid and tid
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "M" && event["args"].value("name", "") == "critical path") own = {event["pid"], event["tid"]};
  }
  std::vector<std::string> shown;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || std::pair<int, int>(event["pid"], event["tid"]) != own) continue;
    const double begin = event["ts"].get<double>() / 1e6;
    shown.push_back(event["name"].get<std::string>() + " " + format_number(begin) + " " +
                    format_number(begin + event["dur"].get<double>() / 1e6) + " " + event["args"]["path"].dump());
  }
  std::vector<std::string> rows;
  for (const std::string& line : split(read_text(folder.path() / "critical_path.csv"), '\n')) {
    const auto cells = split(line, ',');
    if (cells.size() < 6 || cells[0] == "begin_s" || cells[0] == cells[1]) continue;
    rows.push_back(cells[2] + " " + cells[0] + " " + cells[1] + " " + (cells[5].empty() ? "-1" : cells[5]));
  }
  CHECK(rows.size() > 3);
  CHECK(shown == rows);
}

TEST_CASE("of a trace that is cut the critical path takes a tenth at most", "[report]") {
  const auto run = made_up_run();
  const TemporaryFolder folder;
  for (const std::int64_t limit : {9, 10, 20}) {
    write_outputs(run.facts, run.events, {.folder = folder.path(), .trace_slices = limit});
    const auto trace = nlohmann::json::parse(read_text(folder.path() / "trace.json"));
    std::int64_t stretches = 0;
    for (const auto& event : trace["traceEvents"]) {
      if (event["ph"] == "X" && event.contains("args") && event["args"].contains("node")) ++stretches;
    }
    CHECK(stretches == limit / 10);
  }
}

}  // namespace dipaco::testing
