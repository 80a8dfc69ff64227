#include "backends/sim/fleet/table_file.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// split() has no parts of blank text; a line has at least one.
std::vector<std::string> cells_of(std::string_view line) {
  auto cells = split(line, ',');
  if (cells.empty()) cells.emplace_back();
  return cells;
}

std::vector<std::size_t> find_columns(const std::filesystem::path& file, const std::vector<std::string>& header,
                                      std::initializer_list<std::string_view> columns) {
  std::vector<std::size_t> found;
  for (const std::string_view column : columns) {
    const auto at = std::ranges::find(header, column);
    if (at == header.end()) {
      throw DataError(file.string() + ":1: there is no column " + std::string(column) +
                      "; put the table back that was installed");
    }
    found.push_back(static_cast<std::size_t>(at - header.begin()));
  }
  return found;
}

}  // namespace

double TableRow::number(std::size_t cell) const {
  const auto value = parse_number(text(cell));
  if (value && *value >= 0) return *value;
  throw DataError(place_ + ": \"" + text(cell) + "\" is no number of 0 or more; put the table back that was installed");
}

std::vector<TableRow> read_table(const std::filesystem::path& file, std::initializer_list<std::string_view> columns) {
  const std::string text = read_text(file);
  std::vector<std::string> header;
  std::vector<std::size_t> wanted;
  std::vector<TableRow> rows;
  std::string_view rest = text;
  for (int line = 1; !rest.empty(); ++line) {
    const auto end = rest.find('\n');
    auto cells = cells_of(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line == 1) {
      header = std::move(cells);
      wanted = find_columns(file, header, columns);
      continue;
    }
    const std::string place = file.string() + ":" + std::to_string(line);
    if (cells.size() != header.size()) {
      throw DataError(place + ": " + std::to_string(cells.size()) + " cells, and the header has " +
                      std::to_string(header.size()) + "; put the table back that was installed");
    }
    std::vector<std::string> asked;
    for (const std::size_t column : wanted) asked.push_back(cells[column]);
    rows.emplace_back(place, std::move(asked));
  }
  return rows;
}

}  // namespace dipaco
