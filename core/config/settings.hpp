#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/keys.hpp"

namespace dipaco {

/// One known key with the text that it is given; not yet whether the text fits.
struct Setting {
  std::string section;
  const RunKey* key = nullptr;
  std::string value;
  std::string place;  ///< "FILE:LINE" or "--set section.key=value": starts each error about it
};

/// The pairs of a run file's text, in order. @throws ConfigError for all that is wrong with a line by itself, and for
/// a key that is given twice. @param parts  must outlive the settings
std::vector<Setting> read_settings(std::string_view text, const std::string& file, const NamedParts& parts);

/// Puts "section.key=value" in the place of the key's setting, or at the end. @throws ConfigError
void override_setting(std::vector<Setting>& settings, std::string_view assignment, const NamedParts& parts);

}  // namespace dipaco
