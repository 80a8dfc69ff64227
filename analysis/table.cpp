#include "analysis/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/prices.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

constexpr std::size_t kScreen = 80;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;
constexpr std::size_t kWidest = 34;  // of one column
constexpr std::size_t kWidestOfTwo = 42;

std::string fit(std::string text, std::size_t width) {
  if (text.size() > width) text = text.substr(0, width - 2) + "..";
  return text;
}

/// A table's cells as they are written, the heading first.
using Grid = std::vector<std::vector<std::string>>;

Grid grid_of(const Table& table) {
  const std::size_t widest = table.columns.size() == 2 ? kWidestOfTwo : kWidest;
  Grid grid(1);
  for (const auto& column : table.columns) grid[0].push_back(fit(column.heading, widest));
  for (const auto& row : table.rows) {
    auto& line = grid.emplace_back();
    for (const Value& value : row) line.push_back(fit(for_person(value), widest));
  }
  return grid;
}

/// A column of numbers stands to the right.
std::vector<bool> right_aligned(const Table& table) {
  std::vector<bool> right(table.columns.size(), false);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) right[i] = right[i] || row[i].unit != Unit::text;
  }
  return right;
}

std::string aligned(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, text.size()), ' ');
  return right ? space + text : text + space;
}

/// Columns [from, end) beside column 0.
void append_block(std::string& out, const Grid& grid, const std::vector<std::size_t>& widths,
                  const std::vector<bool>& right, std::size_t from, std::size_t end) {
  for (const auto& row : grid) {
    if (std::all_of(row.begin(), row.end(), [](const std::string& cell) { return cell.empty(); })) continue;
    std::string line(kIndent, ' ');
    line += aligned(row[0], widths[0], right[0]);
    for (std::size_t i = from; i < end; ++i) line += std::string(kGap, ' ') + aligned(row[i], widths[i], right[i]);
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string for_person(const Value& value) {
  if (value.unit == Unit::text) return value.words;
  if (!value.number) return "-";
  const double number = *value.number;
  switch (value.unit) {
    case Unit::count:
      return human_count(std::llround(number));
    case Unit::seconds:
      return number < 0 ? "-" + human_seconds(Seconds(-number)) : human_seconds(Seconds(number));
    case Unit::bytes:
      return human_bytes(Bytes{static_cast<std::uint64_t>(std::max(number, 0.0))});
    case Unit::bytes_per_second:
      return human_bytes(Bytes{static_cast<std::uint64_t>(std::max(number, 0.0))}) + "/s";
    case Unit::share:
      return format_fixed(100 * number, 1) + " %";
    case Unit::amount:
      return human_amount(number);
    default:
      return format_fixed(number, 3);
  }
}

std::string as_text(const Table& table) {
  const Grid grid = grid_of(table);
  const auto right = right_aligned(table);
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const auto& row : grid) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out = fit(table.title, kScreen) + '\n';
  std::size_t from = 1;
  do {
    std::size_t width = kIndent + widths[0];
    std::size_t end = from;
    while (end < widths.size() && (end == from || width + kGap + widths[end] <= kScreen)) width += kGap + widths[end++];
    append_block(out, grid, widths, right, from, end);
    from = end;
    if (from < widths.size()) out += '\n';
  } while (from < widths.size());
  return out;
}

std::string as_markdown(const Table& table) {
  std::string out = "### " + table.title + "\n\n|";
  for (const auto& column : table.columns) out += " " + escaped(column.heading) + " |";
  out += "\n|";
  for (const bool right : right_aligned(table)) out += right ? "---:|" : "---|";
  out += '\n';
  for (const auto& row : table.rows) {
    out += '|';
    for (const Value& value : row) out += " " + escaped(for_person(value)) + " |";
    out += '\n';
  }
  return out;
}

nlohmann::ordered_json as_json(const Table& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object;
    for (std::size_t i = 0; i < row.size(); ++i) {
      auto& place = object[table.columns[i].key];
      if (row[i].unit == Unit::text) {
        place = row[i].words;
      } else if (row[i].number) {
        const bool whole = row[i].unit == Unit::count || row[i].unit == Unit::bytes;
        place = whole ? nlohmann::ordered_json(std::llround(*row[i].number)) : nlohmann::ordered_json(*row[i].number);
      }
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace dipaco::analysis
