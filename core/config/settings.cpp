#include "core/config/settings.hpp"

#include <algorithm>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/config/ini_text.hpp"

namespace dipaco {
namespace {

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

std::vector<std::string> key_names(std::string_view section, const NamedParts& parts) {
  std::vector<std::string> names;
  for (const RunKey* key : keys_of(section, parts)) names.emplace_back(key->name);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void check_section(const std::string& name, const std::string& place, const NamedParts& parts) {
  const auto known = section_names(parts);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string nearest = did_you_mean(name, known);
  throw ConfigError(place + ": unknown section [" + name + "]" +
                    (nearest.empty() ? "; the sections are " + joined(known) : nearest));
}

/// Keys of earlier versions, and what to write instead.
struct FormerKey {
  std::string_view section;
  std::string_view name;
  std::string_view remedy;
};
constexpr FormerKey kFormerKeys[] = {
    {"outer", "exchange", "write policy=gradients for gradients, and nothing for parameters"},
};

/// What to do about a key that `section` does not have: the section that has it, the nearest name, or all names.
std::string key_remedy(std::string_view section, std::string_view name, const NamedParts& parts) {
  for (const FormerKey& former : kFormerKeys) {
    if (former.section == section && former.name == name) return "; " + std::string(former.remedy);
  }
  for (const RunKey* key : all_keys(parts)) {
    if (key->name == name) return "; it is a key of [" + std::string(key->section) + "]";
  }
  const auto known = key_names(section, parts);
  const std::string nearest = did_you_mean(name, known);
  return nearest.empty() ? "; its keys are " + joined(known) : nearest;
}

/// @throws ConfigError where the key, which [charge] does not have, is one of the sections that it starts from
void check_charged(std::string_view name, const std::string& place, const NamedParts& parts) {
  for (const char* const section : {"model", "inner"}) {
    for (const RunKey* key : keys_of(section, parts)) {
      if (key->name != name) continue;
      throw ConfigError(place + ": " + in_quotes(name) + " in [charge] changes neither times nor bytes, and nothing " +
                        "else is charged; remove it, or write it in [" + section + "]");
    }
  }
}

const RunKey& find_key(const std::string& section, std::string_view name, const std::string& place,
                       const NamedParts& parts) {
  for (const RunKey* key : keys_of(section, parts)) {
    if (key->name == name) return *key;
  }
  if (section == "charge") check_charged(name, place, parts);
  throw ConfigError(place + ": unknown key " + in_quotes(name) + " in [" + section + "]" +
                    key_remedy(section, name, parts));
}

Setting read_pair(const IniPair& pair, const NamedParts& parts) {
  const std::string section(pair.section);
  return {section, &find_key(section, pair.name, pair.place, parts), std::string(pair.value), pair.place};
}

auto find_setting(std::vector<Setting>& settings, const Setting& like) {
  return std::find_if(settings.begin(), settings.end(), [&](const Setting& setting) {
    return setting.section == like.section && setting.key == like.key;
  });
}

}  // namespace

std::vector<Setting> read_settings(std::string_view text, const std::string& file, const NamedParts& parts) {
  std::vector<Setting> settings;
  read_ini(
      text, file,
      {.section = [&](const IniSection& section) { check_section(std::string(section.name), section.place, parts); },
       .pair =
           [&](const IniPair& pair) {
             Setting setting = read_pair(pair, parts);
             const auto first = find_setting(settings, setting);
             if (first != settings.end()) {
               throw ConfigError(pair.place + ": " + in_quotes(setting.key->name) + " is twice in [" + setting.section +
                                 "], first at " + first->place + "; remove one of them");
             }
             settings.push_back(std::move(setting));
           }});
  return settings;
}

void override_setting(std::vector<Setting>& settings, std::string_view assignment, const NamedParts& parts) {
  const std::string place = "--set " + std::string(assignment);
  const auto name = trim(assignment.substr(0, assignment.find('=')));
  const auto dot = name.find('.');
  if (dot == std::string_view::npos || name.size() == assignment.size()) {
    throw ConfigError(place + ": no section.key=value; write it as --set inner.batch=16");
  }
  const std::string section(trim(name.substr(0, dot)));
  check_section(section, place, parts);
  Setting setting = read_pair(read_ini_pair(assignment.substr(assignment.find('.') + 1), section, place), parts);
  const auto first = find_setting(settings, setting);
  if (first == settings.end()) {
    settings.push_back(std::move(setting));
  } else {
    *first = std::move(setting);
  }
}

}  // namespace dipaco
