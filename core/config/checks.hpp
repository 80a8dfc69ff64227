#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/config/keys.hpp"
#include "core/config/settings.hpp"

namespace dipaco {

/// Throws errors that name the values and where the first of them that was given stands.
class Checks {
 public:
  Checks(const RunConfig& config, const std::string& file, const std::vector<Setting>& settings)
      : config_(config), file_(file), settings_(settings) {}

  const RunConfig& config() const { return config_; }

  /// Where "section.key" was given, or the file.
  std::string place(std::string_view name) const {
    for (const Setting& setting : settings_) {
      if (setting.section + "." + std::string(setting.key->name) == name) return setting.place;
    }
    return file_;
  }

  /// `names` are "section.key"s; the message is "PLACE: a.b=1 WHY c.d=2; REMEDY".
  void require(bool fits, std::string_view name, std::string_view why, std::string_view other,
               std::string_view remedy) const {
    if (fits) return;
    const bool given = place(name) != file_;
    throw ConfigError(place(given ? name : other) + ": " + pair(name) + " " + std::string(why) +
                      (other.empty() ? "" : " " + pair(other)) + "; " + std::string(remedy));
  }

 private:
  std::string pair(std::string_view name) const {
    const auto section = name.substr(0, name.find('.'));
    const RunConfig view = section == "charge" ? charged_view(config_) : config_;
    for (const RunKey* key : keys_of(section, *config_.parts)) {
      if (key->name == name.substr(section.size() + 1)) return std::string(name) + "=" + value_text(*key, view);
    }
    check(false, "a check names a key of the table");
    return {};
  }

  const RunConfig& config_;
  const std::string& file_;
  const std::vector<Setting>& settings_;
};

}  // namespace dipaco
