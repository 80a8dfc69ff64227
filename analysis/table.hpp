#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dipaco::analysis {

/// How a number is written for a person.
enum class Unit : std::uint8_t { text, count, number, seconds, bytes, bytes_per_second, share, amount };

/// What stands in one place of a table.
struct Value {
  Unit unit = Unit::text;
  std::optional<double> number;  ///< of all units but text; nullopt: nothing to show
  std::string words;             ///< of Unit::text

  Value() = default;
  Value(Unit of, std::optional<double> value) : unit(of), number(value) {}
  Value(std::string text) : words(std::move(text)) {}
};

struct Table {
  struct Column {
    std::string key;      ///< in JSON, with its unit
    std::string heading;  ///< for a person
  };
  std::string key;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;  ///< each as long as `columns`
};

/// "-" where there is no number.
std::string for_person(const Value& value);

/// At most 80 columns wide: a table that is wider goes on below, its first column again.
std::string as_text(const Table& table);
/// A heading and a pipe table.
std::string as_markdown(const Table& table);
/// An array of objects: raw numbers, null where there is nothing.
nlohmann::ordered_json as_json(const Table& table);

}  // namespace dipaco::analysis
