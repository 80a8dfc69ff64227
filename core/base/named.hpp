#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {

/// The names of a table's rows, in their order.
template <class Row>
std::vector<std::string> names_of(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows) names.emplace_back(row.name);
  return names;
}

/// The row of that name.
/// @param key  "outer.policy", for the error
/// @throws ConfigError where there is none, with all names and the nearest
template <class Row>
const Row& find_named(const std::vector<Row>& rows, std::string_view name, std::string_view key) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  if (found != rows.end()) return *found;
  const auto known = names_of(rows);
  throw ConfigError(std::string(key) + ": unknown value \"" + std::string(name) + "\"; write " + alternatives(known) +
                    did_you_mean(name, known));
}

}  // namespace dipaco
