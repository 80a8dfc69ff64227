#include "core/prepare/new_start.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <system_error>
#include <vector>

#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/prepare/start_stage.hpp"
#include "core/prepare/tokens_stage.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

using Values = std::map<std::string, std::string>;

Values values_of(const std::string& keys) {
  Values values;
  std::istringstream lines(keys);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equal = line.find('=');
    if (equal != std::string::npos) values[line.substr(0, equal)] = line.substr(equal + 1);
  }
  return values;
}

std::string at(const Values& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? "none" : found->second;
}

/// "inner.batch: 16 then, 32 now" for each key that differs.
std::vector<std::string> differences(const Values& then, const Values& now) {
  Values all = now;
  all.insert(then.begin(), then.end());
  std::vector<std::string> found;
  for (const auto& [key, value] : all) {
    if (at(then, key) == at(now, key)) continue;
    // The one key here that no run file has.
    const std::string name =
        key == "cosine_end" ? "end of the cosine (pretrain.steps + outer.steps x inner.steps)" : key;
    found.push_back(name + ": " + at(then, key) + " then, " + at(now, key) + " now");
  }
  return found;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// Of the starts of the same text, those keys in which the nearest differs. Empty where there is none.
std::vector<std::string> nearest_differences(const fs::path& cache, const Values& now) {
  std::vector<std::string> nearest;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(cache, none)) {
    const fs::path keys = entry.path() / kKeysFile;
    if (!entry.path().filename().string().starts_with("start-") || !fs::is_regular_file(keys)) continue;
    const Values then = values_of(read_text(keys));
    if (at(then, "tokens") != at(now, "tokens") || then.contains("pretrain.from")) continue;
    std::vector<std::string> found = differences(then, now);
    const auto rank = [](const std::vector<std::string>& list) { return std::pair(list.size(), list); };
    if (nearest.empty() || rank(found) < rank(nearest)) nearest = std::move(found);
  }
  return nearest;
}

}  // namespace

std::optional<std::string> why_start_is_new(const RunConfig& config, const PrepareOptions& options) {
  if (!config.pretrain.from.empty() || config.pretrain.steps == 0) return std::nullopt;
  const std::string tokens = tokens_stage_hash(config, options);
  const StageRequest request = start_request(config, options, tokens);
  if (fs::exists(options.cache / ("start-" + stage_hash(request)))) return std::nullopt;
  const std::vector<std::string> changed = nearest_differences(options.cache, values_of(request.keys));
  if (changed.empty()) return std::nullopt;
  return "the dense start is trained again, " + human_count(config.pretrain.steps) +
         " inner steps, as it depends on what has changed (" + joined(changed) + ")";
}

}  // namespace dipaco
