#include <filesystem>

#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/config/keys.hpp"
#include "core/config/run_file.hpp"

namespace dipaco {
namespace {

bool is_table(const RunConfig& config) {
  return std::filesystem::is_regular_file(config.folder / config.topology.levels);
}

std::string absolute(const std::string& names, const std::filesystem::path& folder) {
  std::string all;
  for (const std::string& name : split(names, ',')) {
    if (name.empty()) continue;
    if (!all.empty()) all += ",";
    all += std::filesystem::absolute(folder / name).lexically_normal().string();
  }
  return all;
}

std::string pair(const Key& key, const RunConfig& config) {
  return std::string(key.name) + "=" + value_text(key, config) + "\n";
}

}  // namespace

std::string dump_config(const RunConfig& config) {
  RunConfig moved = config;
  if (is_table(config)) moved.topology.levels = absolute(config.topology.levels, config.folder);
  std::string text;
  std::string_view section;
  for (const Key& key : run_keys()) {
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
  for (const Key* key : keys_of("charge")) text += pair(*key, charged_view(config));
  return text;
}

std::string config_hash(const RunConfig& config) {
  RunConfig content = config;
  if (is_table(config)) content.topology.levels = read_text(config.folder / config.topology.levels);
  std::string text;
  for (const Key& key : run_keys()) {
    if (key.changes == Changes::parameters) text += std::string(key.section) + "." + pair(key, content);
  }
  return hash_hex(text);
}

std::vector<std::string> differing_keys(const RunConfig& a, const RunConfig& b) {
  std::vector<std::string> names;
  for (const Key& key : run_keys()) {
    if (value_text(key, a) != value_text(key, b))
      names.push_back(std::string(key.section) + "." + std::string(key.name));
  }
  if (a.charge.has_value() != b.charge.has_value()) names.emplace_back("charge");
  if (!a.charge || !b.charge) return names;
  for (const Key* key : keys_of("charge")) {
    if (value_text(*key, charged_view(a)) != value_text(*key, charged_view(b))) {
      names.push_back("charge." + std::string(key->name));
    }
  }
  return names;
}

}  // namespace dipaco
