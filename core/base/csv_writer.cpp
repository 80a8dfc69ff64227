#include "core/base/csv_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

template <class Number>
void append(std::string& text, Number value) {
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  text.append(buffer.data(), end);
}

}  // namespace

void append_number(std::string& text, double value) { append(text, value); }
void append_number(std::string& text, std::int64_t value) { append(text, value); }

CsvWriter::CsvWriter(std::initializer_list<std::string_view> columns) : columns_(columns.size()) {
  for (const std::string_view column : columns) cell(column);
  end_row();
}

CsvWriter::CsvWriter(std::span<const std::string> columns) : columns_(columns.size()) {
  for (const std::string& column : columns) cell(column);
  end_row();
}

CsvWriter& CsvWriter::cell(double value) {
  separate();
  if (std::isfinite(value)) append_number(text_, value);
  return *this;
}

CsvWriter& CsvWriter::cell(std::string_view value) {
  separate();
  const bool quoted = value.find_first_of(",\"") != std::string_view::npos;
  if (quoted) text_ += '"';
  for (const char c : value) {
    if (c == '"') text_ += '"';
    text_ += c == '\n' || c == '\r' ? ' ' : c;
  }
  if (quoted) text_ += '"';
  return *this;
}

CsvWriter& CsvWriter::empty() {
  separate();
  return *this;
}

void CsvWriter::end_row() {
  check(cells_ == columns_, "a row has a cell for each column");
  text_ += '\n';
  cells_ = 0;
}

void CsvWriter::separate() {
  if (cells_++ > 0) text_ += ',';
}

}  // namespace dipaco
