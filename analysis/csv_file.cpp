#include "analysis/csv_file.hpp"

#include <cstring>

#include "core/base/text.hpp"

namespace dipaco::analysis {
namespace {

constexpr const char* kRemedy = "; let the run write its folder again";

/// The line that an error of the parser names, if it does.
std::string where(const std::string& file, const io::error::base& error) {
  const auto* line = dynamic_cast<const io::error::with_file_line*>(&error);
  return line != nullptr && line->file_line > 0 ? file + ":" + std::to_string(line->file_line) : file + ":1";
}

}  // namespace

void Cell::fail(const char* expected) const {
  throw DataError(file + ":" + std::to_string(line) + ": column " + column + " has " +
                  (content.empty() ? "an empty cell" : "\"" + std::string(content) + "\"") + ", not " + expected +
                  kRemedy);
}

double Cell::number() const {
  if (const auto value = parse_number(content)) return *value;
  fail("a number");
}

std::int64_t Cell::integer() const {
  if (const auto value = parse_integer(content)) return *value;
  fail("a whole number");
}

std::optional<double> Cell::optional_number() const { return content.empty() ? std::nullopt : std::optional(number()); }

std::optional<std::int64_t> Cell::optional_integer() const {
  return content.empty() ? std::nullopt : std::optional(integer());
}

void rethrow_csv_error(const std::string& file, const io::error::base& error) {
  if (const auto* open = dynamic_cast<const io::error::can_not_open_file*>(&error)) {
    throw DataError(file + ": cannot open: " + std::strerror(open->errno_value) + "; name a folder that a run left");
  }
  const std::string at = where(file, error) + ": ";
  if (const auto* column = dynamic_cast<const io::error::missing_column_in_header*>(&error)) {
    throw DataError(at + "no column " + column->column_name + " in the header" + kRemedy);
  }
  if (dynamic_cast<const io::error::header_missing*>(&error) != nullptr)
    throw DataError(at + "an empty file" + kRemedy);
  if (dynamic_cast<const io::error::too_few_columns*>(&error) != nullptr) {
    throw DataError(at + "fewer cells than the header has columns" + kRemedy);
  }
  if (dynamic_cast<const io::error::too_many_columns*>(&error) != nullptr) {
    throw DataError(at + "more cells than the header has columns" + kRemedy);
  }
  throw DataError(at + error.what() + kRemedy);
}

}  // namespace dipaco::analysis
