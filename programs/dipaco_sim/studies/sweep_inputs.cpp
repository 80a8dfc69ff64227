#include "programs/dipaco_sim/studies/sweep_inputs.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// By "section.key", of what dump_config() has written.
std::map<std::string, std::string> values_of(const std::string& run_file) {
  std::map<std::string, std::string> values;
  std::string section;
  for (const std::string& line : split(run_file, '\n')) {
    const std::size_t equals = line.find('=');
    if (line.starts_with('[')) {
      section = line.substr(1, line.find(']') - 1);
    } else if (equals != std::string::npos) {
      values[section + "." + line.substr(0, equals)] = line.substr(equals + 1);
    }
  }
  return values;
}

std::string keys_that_differ(const std::string& then, const std::string& now) {
  const auto before = values_of(then);
  const auto after = values_of(now);
  std::set<std::string> keys;
  for (const auto& [key, value] : before) {
    if (!after.contains(key) || after.at(key) != value) keys.insert(key);
  }
  for (const auto& [key, value] : after) {
    if (!before.contains(key)) keys.insert(key);
  }
  std::string list;
  for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + key;
  return list;
}

/// The first line that one of the two alone has.
std::string first_difference(const std::string& then, const std::string& now) {
  const auto before = split(then, '\n');
  const auto after = split(now, '\n');
  const auto lacks = [](const std::vector<std::string>& lines) {
    return [&lines](const std::string& line) { return std::ranges::find(lines, line) == lines.end(); };
  };
  if (const auto added = std::ranges::find_if(after, lacks(before)); added != after.end()) return *added;
  const auto gone = std::ranges::find_if(before, lacks(after));
  return gone == before.end() ? "their order" : *gone;
}

}  // namespace

std::string text(const SweepInputs& inputs) {
  const nlohmann::json all{{"program", inputs.program},
                           {"scenario", inputs.scenario},
                           {"run_file", inputs.run_file},
                           {"settings", inputs.settings},
                           {"files", inputs.files.text()}};
  return all.dump(1) + "\n";
}

std::optional<SweepInputs> read_sweep_inputs(const std::string& text) {
  const auto all = nlohmann::json::parse(text, nullptr, false);
  const auto has = [&](const char* name) { return all.contains(name) && all[name].is_string(); };
  const std::vector names{"program", "scenario", "run_file", "settings", "files"};
  if (!all.is_object() || !std::ranges::all_of(names, has)) return std::nullopt;
  return SweepInputs{.program = all["program"].get<std::string>(),
                     .scenario = all["scenario"].get<std::string>(),
                     .run_file = all["run_file"].get<std::string>(),
                     .settings = all["settings"].get<std::string>(),
                     .files = InputFiles(all["files"].get<std::string>())};
}

std::optional<std::string> difference(const SweepInputs& then, const SweepInputs& now) {
  if (then.program != now.program) return "version " + then.program + " has made them, and this is " + now.program;
  if (then.scenario != now.scenario) return "the scenario is another, or has changed since";
  if (then.run_file != now.run_file)
    return "the run file or a --set says otherwise of " + keys_that_differ(then.run_file, now.run_file);
  if (then.settings != now.settings)
    return "what holds for all runs is another: " + first_difference(then.settings, now.settings);
  if (const auto changed = now.files.changed_since(then.files)) return *changed + " has changed since";
  return std::nullopt;
}

}  // namespace dipaco
