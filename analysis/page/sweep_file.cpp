#include "analysis/page/sweep_file.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

constexpr const char* kRemedy = "; let the sweep make its tables again, by the same command";

/// Where the axes end: the columns behind them are seed and error.
std::size_t axes_of(const std::vector<std::string>& header, const std::string& file) {
  for (std::size_t k = 0; k + 1 < header.size(); ++k) {
    if (header[k] == "seed" && header[k + 1] == "error") return k;
  }
  throw DataError(file + ":1: no columns seed and error in the header" + kRemedy);
}

SweptRun run_of(const std::vector<std::string>& header, const std::vector<std::string>& cells, std::size_t axes,
                const std::string& where) {
  if (cells.size() != header.size()) {
    throw DataError(where + ": " + std::to_string(cells.size()) + " cells, not " + std::to_string(header.size()) +
                    " as the header has" + kRemedy);
  }
  const auto seed = parse_integer(cells[axes]);
  if (!seed) throw DataError(where + ": column seed has \"" + cells[axes] + "\", not a whole number" + kRemedy);
  SweptRun run;
  run.point.assign(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(axes));
  run.seed = static_cast<std::uint64_t>(*seed);
  run.error = cells[axes + 1];
  for (std::size_t k = axes + 2; k < cells.size(); ++k) {
    if (const auto number = parse_number(cells[k])) run.summary[header[k]] = *number;
  }
  return run;
}

}  // namespace

std::vector<std::vector<std::string>> csv_cells(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::string cell;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quoted && c == '"' && k + 1 < text.size() && text[k + 1] == '"') {
      cell += text[++k];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == ',' || c == '\n')) {
      row.push_back(std::move(cell));
      cell.clear();
      if (c == ',') continue;
      rows.push_back(std::move(row));
      row.clear();
    } else if (quoted || c != '\r') {
      cell += c;
    }
  }
  if (!cell.empty() || !row.empty()) {
    row.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
  return rows;
}

SweepFile read_sweep(const std::filesystem::path& folder) {
  const std::string file = (folder / "sweep.csv").string();
  const auto rows = csv_cells(read_text(file));
  if (rows.size() < 2) throw DataError(file + ":1: no run in it" + kRemedy);
  const auto& header = rows.front();
  const std::size_t axes = axes_of(header, file);
  SweepFile sweep;
  for (std::size_t k = 0; k < axes; ++k) sweep.axes.push_back({header[k], {}});
  for (std::size_t line = 1; line < rows.size(); ++line) {
    sweep.runs.push_back(run_of(header, rows[line], axes, file + ":" + std::to_string(line + 1)));
    for (std::size_t k = 0; k < axes; ++k) {
      auto& values = sweep.axes[k].values;
      const std::string& value = sweep.runs.back().point[k];
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
  }
  return sweep;
}

}  // namespace dipaco::analysis
