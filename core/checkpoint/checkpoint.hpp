#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dipaco {

/// Named float arrays and short facts: the one format of starts, modules and path states (docs/file-formats.md).
struct Checkpoint {
  std::map<std::string, std::string> facts;          ///< "kind", "path", "outer_step", ...
  std::map<std::string, std::vector<float>> arrays;  ///< "parameters", "velocity", ...

  /// Adds one. REQUIRES that there is none of this name
  void say(const char* fact, std::string value) { facts.emplace(fact, std::move(value)); }
  void say(const char* fact, std::int64_t value) { say(fact, std::to_string(value)); }

  /// @throws DataError naming `source` where the fact or array is missing, or the fact is no number.
  std::int64_t integer(const std::string& fact, std::string_view source) const;
  double number(const std::string& fact, std::string_view source) const;
  const std::vector<float>& array(const std::string& name, std::string_view source) const;
};

std::vector<std::byte> encode(const Checkpoint& checkpoint);

/// @throws DataError naming `source`: not a checkpoint, another version, truncated, or damaged (its checksum differs).
Checkpoint decode_checkpoint(std::span<const std::byte> bytes, const std::string& source);

}  // namespace dipaco
