#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace dipaco {

/// One `[section]` of a text. Views are valid while it is taken; so with pairs.
struct IniSection {
  std::string_view name;
  const std::string& place;  ///< "FILE:LINE": starts each error about it
  int line = 0;
};

/// One `key=value`.
struct IniPair {
  std::string_view section;  ///< "": before the first one
  std::string_view name;
  std::string_view value;
  const std::string& place;
  int line = 0;  ///< 0: of no file
};

/// Who takes what stands in such a text, line by line, and throws where it does not fit.
struct IniTaker {
  std::function<void(const IniSection& section)> section;
  std::function<void(const IniPair& pair)> pair;
};

/// Reads lines of `[section]` and `key=value`, in order; one that starts with # or ; is a comment. @param file  for
/// errors
/// @throws ConfigError for all that is wrong with a line by itself: no value, a pair before the first section, two
///         pairs, # inside a value
void read_ini(std::string_view text, const std::string& file, const IniTaker& take);
/// The pair of one line.
/// @param section  as above. @throws ConfigError as above
IniPair read_ini_pair(std::string_view line, std::string_view section, const std::string& place);

}  // namespace dipaco
