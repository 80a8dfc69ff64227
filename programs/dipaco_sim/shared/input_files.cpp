#include "programs/dipaco_sim/shared/input_files.hpp"

#include <algorithm>
#include <system_error>

#include "backends/sim/scenario/named_files.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "core/data/corpus.hpp"

namespace dipaco {
namespace {

/// The same wherever the run file is that names it.
std::string full_name(const std::filesystem::path& file) {
  return std::filesystem::absolute(file).lexically_normal().string();
}

}  // namespace

InputFiles::InputFiles(const std::string& text) {
  for (const std::string& line : split(text, '\n')) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos) hashes_.emplace(line.substr(space + 1), line.substr(0, space));
  }
}

void InputFiles::add(const std::string& name, const std::filesystem::path& place) {
  if (!hashes_.contains(name)) hashes_.emplace(name, hash_hex(MappedFile(place).bytes()));
}

void InputFiles::add(const ScenarioFile& scenario, bool run_files) {
  for (const NamedFile& file : named_files(scenario)) {
    if (file.by != "run" || run_files) add(file.name, file.place);
  }
}

void InputFiles::add_all(const std::string& patterns, const std::filesystem::path& folder) {
  for (const std::string& pattern : split(patterns, ',')) {
    if (pattern.empty()) continue;
    std::string list;
    for (const auto& file : find_files(pattern, folder)) {
      add(full_name(file), file);
      list += full_name(file) + "\n";
    }
    hashes_.emplace("the list of files that " + full_name(folder / pattern) + " names", hash_hex(list));
  }
}

void InputFiles::add(const RunConfig& config, bool learns) {
  std::error_code error;
  const auto table = config.folder / config.topology.levels;
  if (std::filesystem::is_regular_file(table, error)) add(full_name(table), table);
  if (!learns) return;
  for (const std::string* const names : {&config.data.train, &config.data.validation, &config.data.tokenizer}) {
    add_all(*names, config.folder);
  }
  if (config.pretrain.from.empty()) return;
  const auto start = config.folder / config.pretrain.from;
  if (!std::filesystem::is_directory(start, error)) return add(full_name(start), start);
  for (const auto& file : std::filesystem::directory_iterator(start)) {
    if (file.is_regular_file()) add(full_name(file.path()), file.path());
  }
}

std::optional<std::string> InputFiles::changed_since(const InputFiles& then) const {
  const auto changed = std::ranges::find_if(hashes_, [&](const auto& file) {
    const auto before = then.hashes_.find(file.first);
    return before != then.hashes_.end() && before->second != file.second;
  });
  return changed == hashes_.end() ? std::nullopt : std::optional(changed->first);
}

std::string InputFiles::text() const {
  std::string lines;
  for (const auto& [name, hash] : hashes_) lines += hash + " " + name + "\n";
  return lines;
}

}  // namespace dipaco
