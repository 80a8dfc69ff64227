#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// A row of a shipped table: the cells that were asked for, in that order. No cell has a comma in it.
class TableRow {
 public:
  TableRow(std::string place, std::vector<std::string> cells) : place_(std::move(place)), cells_(std::move(cells)) {}

  const std::string& text(std::size_t cell) const { return cells_.at(cell); }
  /// @throws DataError naming file, line and cell, where it is no number of 0 or more
  double number(std::size_t cell) const;

 private:
  std::string place_;  ///< "FILE:LINE"
  std::vector<std::string> cells_;
};

/// The named columns of a CSV, whatever else it has.
/// @throws DataError naming file, line and remedy: it cannot be read, has no such column, or a row is too short or long
std::vector<TableRow> read_table(const std::filesystem::path& file, std::initializer_list<std::string_view> columns);

}  // namespace dipaco
