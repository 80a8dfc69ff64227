#include "analysis/settings.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "analysis/report.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace dipaco::analysis {

std::map<std::string, std::string> read_settings(const std::filesystem::path& file) {
  std::map<std::string, std::string> settings;
  if (!std::filesystem::exists(file)) return settings;
  std::istringstream lines(read_text(file));
  std::string section;
  for (std::string line; std::getline(lines, line);) {
    const std::string_view words = trim(line);
    const auto equal = words.find('=');
    if (words.starts_with('[') && words.ends_with(']')) {
      section = std::string(words.substr(1, words.size() - 2)) + ".";
    } else if (!words.starts_with('#') && equal != std::string_view::npos) {
      settings[section + std::string(trim(words.substr(0, equal)))] = std::string(trim(words.substr(equal + 1)));
    }
  }
  return settings;
}

Table differing_settings(std::span<const Run> runs) {
  Table table{"settings", "Settings that differ", {{"what", "setting"}}, {}};
  for (const std::string& name : run_names(runs)) table.columns.push_back({name, name});
  std::vector<std::map<std::string, std::string>> all;
  std::set<std::string> keys;
  for (const Run& run : runs) {
    auto& own = all.emplace_back(read_settings(std::filesystem::path(run.folder) / "run.cfg"));
    for (const char* const key : {"scenario", "backend", "version", "arithmetic"})
      own[key] = run.text(key).value_or("");
    for (const auto& [key, value] : own) keys.insert(key);
  }
  for (const std::string& key : keys) {
    std::vector<Value> row{Value{key}};
    for (const auto& own : all) row.emplace_back(own.contains(key) ? own.at(key) : "");
    const bool differ =
        std::any_of(row.begin() + 2, row.end(), [&](const Value& v) { return v.words != row[1].words; });
    if (differ) table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace dipaco::analysis
