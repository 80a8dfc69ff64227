#include <filesystem>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/config/keys.hpp"
#include "core/config/run_file.hpp"

namespace dipaco {
namespace {

bool is_table(const RunConfig& config) {
  std::error_code error;  // a name that is too long is no table
  return std::filesystem::is_regular_file(config.folder / config.topology.levels, error);
}

std::string absolute(const std::string& names, const std::filesystem::path& folder) {
  std::string all;
  for (const std::string& name : split(names, ',')) {
    if (name.empty()) continue;
    if (!all.empty()) all += ",";
    const std::string place = std::filesystem::absolute(folder / name).lexically_normal().string();
    if (place.find_first_of(",#\n") != std::string::npos) {
      throw ConfigError("\"" + place +
                        "\": a run file cannot name what has a comma, # or line break in its name, and " +
                        "the run's own could not be read again: rename the folder or file");
    }
    all += place;
  }
  return all;
}

/// The configuration with what is in its topology's table in place of the table's name.
RunConfig with_table(RunConfig config) {
  if (is_table(config)) config.topology.levels = read_text(config.folder / config.topology.levels);
  return config;
}

/// A key's value for a person.
std::string shown(const RunKey& key, const RunConfig& config) {
  const std::string value = value_text(key, config);
  if (key.section == "topology" && key.name == "levels" && is_table(config)) return "the rows of " + value;
  return value.empty() ? "nothing" : value;
}

std::string pair(const RunKey& key, const RunConfig& config) {
  return std::string(key.name) + "=" + value_text(key, config) + "\n";
}

}  // namespace

std::string dump_config(const RunConfig& config) {
  RunConfig moved = config;
  if (is_table(config)) moved.topology.levels = absolute(config.topology.levels, config.folder);
  std::string text;
  std::string_view section;
  for (const RunKey* each : all_keys(*config.parts)) {
    const RunKey& key = *each;
    if (key.section != section) text += (text.empty() ? "[" : "\n[") + std::string(key.section) + "]\n";
    section = key.section;
    if (key.allowed.file) {
      std::string& names = *std::get<std::string*>(key.slot(moved));
      names = absolute(names, config.folder);
    }
    text += pair(key, moved);
  }
  if (!config.charge) return text;
  text += "\n[charge]\n";
  for (const RunKey* key : keys_of("charge")) text += pair(*key, charged_view(config));
  return text;
}

std::string config_hash(const RunConfig& config) {
  const RunConfig content = with_table(config);
  std::string text;
  for (const RunKey* key : all_keys(*config.parts)) {
    if (key->changes == Changes::parameters) text += std::string(key->section) + "." + pair(*key, content);
  }
  return hash_hex(text);
}

std::vector<std::string> differing_keys(const RunConfig& a, const RunConfig& b) {
  std::vector<std::string> names;
  for (const RunKey* key : all_keys(*a.parts)) {
    if (value_text(*key, a) == value_text(*key, b)) continue;
    names.push_back(std::string(key->section) + "." + std::string(key->name));
  }
  if (a.charge.has_value() != b.charge.has_value()) names.emplace_back("charge");
  if (!a.charge || !b.charge) return names;
  for (const RunKey* key : keys_of("charge")) {
    if (value_text(*key, charged_view(a)) != value_text(*key, charged_view(b))) {
      names.push_back("charge." + std::string(key->name));
    }
  }
  return names;
}

std::vector<std::string> config_differences(const RunConfig& then, const RunConfig& now) {
  const RunConfig content_then = with_table(then);
  const RunConfig content_now = with_table(now);
  std::vector<std::string> differences;
  for (const RunKey* each : all_keys(*then.parts)) {
    const RunKey& key = *each;
    if (key.changes != Changes::parameters || value_text(key, content_then) == value_text(key, content_now)) continue;
    differences.push_back(std::string(key.section) + "." + std::string(key.name) + ": " + shown(key, then) + " then, " +
                          shown(key, now) + " now");
  }
  return differences;
}

}  // namespace dipaco
