#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#define CSV_IO_NO_THREAD  // a thread of its own for each file gains nothing here
#include <libfccp/csv.h>

#include "core/base/error.hpp"

namespace dipaco::analysis {

/// One cell of a CSV file, valid until the next row is read. What it holds is read strictly: fast-cpp-csv-parser itself
/// takes an empty cell for 0 and rounds decimals.
/// @throws DataError naming file, line and column where a cell is empty or no number, and may not be.
struct Cell {
  const std::string& file;
  unsigned line;
  const char* column;
  std::string_view content;

  double number() const;
  std::int64_t integer() const;
  std::optional<double> optional_number() const;  ///< nullopt: empty
  std::optional<std::int64_t> optional_integer() const;
  std::string text() const { return std::string(content); }

 private:
  [[noreturn]] void fail(const char* expected) const;
};

/// @throws DataError that says the same as fast-cpp-csv-parser's `error`, and what to do.
[[noreturn]] void rethrow_csv_error(const std::string& file, const io::error::base& error);

/// Reads the named columns of a CSV file, in whatever order the file has them; others are passed over.
template <unsigned Columns>
class CsvFile {
 public:
  /// @throws DataError: no such file, no such column
  CsvFile(const std::filesystem::path& file, const std::array<const char*, Columns>& columns)
      : file_(file.string()), columns_(columns) {
    try {
      reader_.emplace(file_);
      std::apply([&](auto... names) { reader_->read_header(io::ignore_extra_column, names...); }, columns);
    } catch (const io::error::base& error) {
      rethrow_csv_error(file_, error);
    }
  }

  /// @throws DataError: a row with more or fewer cells than the header
  bool next() {
    try {
      return std::apply([&](auto&... cells) { return reader_->read_row(cells...); }, cells_);
    } catch (const io::error::base& error) {
      rethrow_csv_error(file_, error);
    }
  }

  Cell operator[](unsigned column) const { return {file_, reader_->get_file_line(), columns_[column], cells_[column]}; }

 private:
  std::string file_;
  std::array<const char*, Columns> columns_;
  std::array<char*, Columns> cells_{};
  std::optional<io::CSVReader<Columns, io::trim_chars<' ', '\t'>, io::double_quote_escape<',', '"'>>> reader_;
};

}  // namespace dipaco::analysis
