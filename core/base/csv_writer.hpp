#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/base/units.hpp"

namespace dipaco {

/// The shortest decimal form that reads back to the same number, at the end of `text`.
void append_number(std::string& text, double value);
void append_number(std::string& text, std::int64_t value);

/// A CSV file in memory: a header, then rows with a cell a column. Equal cells give equal bytes.
class CsvWriter {
 public:
  explicit CsvWriter(std::initializer_list<std::string_view> columns);
  explicit CsvWriter(std::span<const std::string> columns);

  template <class T>
  requires std::is_integral_v<T> CsvWriter& cell(T value) {
    separate();
    append_number(text_, static_cast<std::int64_t>(value));
    return *this;
  }
  CsvWriter& cell(Bytes value) { return cell(value.value); }
  /// Empty where the value is not finite: it does not apply, or has not happened.
  CsvWriter& cell(double value);
  CsvWriter& cell(Seconds value) { return cell(value.count()); }
  /// In quotes where it holds a comma or a quote; a line's end becomes a space.
  CsvWriter& cell(std::string_view value);
  CsvWriter& cell(const char* value) { return cell(std::string_view(value)); }
  CsvWriter& empty();
  /// REQUIRES as many cells as columns.
  void end_row();

  std::string take() { return std::move(text_); }

 private:
  void separate();

  std::string text_;
  std::size_t columns_;
  std::size_t cells_ = 0;
};

}  // namespace dipaco
