#include "analysis/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iomanip>
#include <sstream>

#include "core/base/prices.hpp"
#include "core/base/text.hpp"
#include "core/base/wrap.hpp"

namespace dipaco::analysis {
namespace {

constexpr std::size_t kScreen = 80;
constexpr std::size_t kIndent = 2;
constexpr std::size_t kGap = 2;
constexpr double kLargeNumber = 1e7;  // operations a second, say, of which nobody reads all digits
constexpr std::size_t kWidest = 34;   // of a column, in a table that is too wide for the screen
constexpr std::size_t kNarrowest = 4;
constexpr std::size_t kLeast = 16;  // of a column of texts there, unless its heading is longer

/// A table's cells as they are written, the heading first.
using Grid = std::vector<std::vector<std::string>>;
using Widths = std::vector<std::size_t>;

Grid grid_of(const Table& table) {
  Grid grid(1);
  for (const auto& column : table.columns) grid[0].push_back(column.heading);
  for (const auto& row : table.rows) {
    auto& line = grid.emplace_back();
    for (const Value& value : row) line.push_back(for_person(value));
  }
  return grid;
}

std::size_t total_width(const Widths& widths) {
  std::size_t total = kIndent;
  for (const std::size_t width : widths) total += width + kGap;
  return total - kGap;
}

/// As wide as the longest cell, where that fits the screen. Else texts share it and go on below.
Widths widths_of(const Table& table, const Grid& grid) {
  Widths widths(table.columns.size(), 0);
  for (const auto& row : grid) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  if (total_width(widths) <= kScreen) return widths;
  widths[0] = std::min(widths[0], kWidest);
  const std::size_t others = widths.size() - 1;
  const std::size_t part = others == 0 ? 0 : (kScreen - kIndent - widths[0]) / others;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    std::size_t numbers = std::min(table.columns[i].heading.size(), kWidest);
    for (const auto& row : table.rows) {
      if (row[i].unit != Unit::text) numbers = std::max(numbers, for_person(row[i]).size());
    }
    widths[i] = std::min(widths[i], std::max({numbers, kLeast, part - std::min(part, kGap)}));
  }
  return widths;
}

/// "3.035e+14".
std::string four_digits(double number) {
  std::ostringstream text;
  text << std::scientific << std::setprecision(3) << number;
  return text.str();
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
struct Block {
  std::size_t from = 1;
  std::size_t end = 1;
};

/// A row's cells, each in as many lines as its column's width asks for.
void append_row(std::string& out, const std::vector<std::string>& row, const Widths& widths,
                const std::vector<bool>& right, Block block) {
  std::vector<std::size_t> columns{0};
  for (std::size_t i = block.from; i < block.end; ++i) columns.push_back(i);
  std::vector<std::vector<std::string>> cells;
  std::size_t lines = 0;
  for (const std::size_t column : columns) {
    cells.push_back(wrapped(row[column], std::max(widths[column], kNarrowest)));
    lines = std::max(lines, cells.back().size());
  }
  for (std::size_t k = 0; k < lines; ++k) {
    std::string line(kIndent, ' ');
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string& text = k < cells[c].size() ? cells[c][k] : "";
      line += (c > 0 ? std::string(kGap, ' ') : "") + aligned(text, widths[columns[c]], right[columns[c]]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
}

void append_block(std::string& out, const Grid& grid, const Widths& widths, const std::vector<bool>& right,
                  Block block) {
  for (const auto& row : grid) {
    if (std::all_of(row.begin(), row.end(), [](const std::string& cell) { return cell.empty(); })) continue;
    append_row(out, row, widths, right, block);
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
      return std::abs(number) < kLargeNumber ? format_fixed(number, 3) : four_digits(number);
  }
}

std::string as_text(const Table& table) {
  const Grid grid = grid_of(table);
  const auto right = right_aligned(table);
  const Widths widths = widths_of(table, grid);
  std::string out;
  for (const std::string& line : wrapped(table.title, kScreen)) out += line + '\n';
  Block block;
  do {
    std::size_t width = kIndent + widths[0];
    while (block.end < widths.size() && (block.end == block.from || width + kGap + widths[block.end] <= kScreen))
      width += kGap + widths[block.end++];
    append_block(out, grid, widths, right, block);
    block.from = block.end;
    if (block.from < widths.size()) out += '\n';
  } while (block.from < widths.size());
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
