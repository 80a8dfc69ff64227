#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "backends/sim/scenario/scenario_file.hpp"
#include "core/config/run_config.hpp"

namespace dipaco {

/// What a simulation reads beside its scenario and its run file, by hashes, so that a later one can tell whether it is
/// still made of the same.
class InputFiles {
 public:
  InputFiles() = default;
  /// As text() has it. Lines of another form count for nothing.
  explicit InputFiles(const std::string& text);

  /// Traces and profiles that the scenario names, as it is now changed. A file that was added before is not read again.
  /// @param run_files  also those @throws DataError where one cannot be read
  void add(const ScenarioFile& scenario, bool run_files);
  /// The table of modules and, where the run learns, text, tokenizer and start that the run file names, and which files
  /// a pattern stands for.
  /// @throws DataError where a name names no file, or one cannot be read
  void add(const RunConfig& config, bool learns);
  /// Those of `other` that are not here.
  void add(const InputFiles& other) { hashes_.insert(other.hashes_.begin(), other.hashes_.end()); }

  /// The first that both have, and that was another one `then`, as a sentence begins; nullopt: there is none.
  std::optional<std::string> changed_since(const InputFiles& then) const;
  /// A line a file.
  std::string text() const;

 private:
  void add(const std::string& name, const std::filesystem::path& place);
  void add_all(const std::string& patterns, const std::filesystem::path& folder);

  std::map<std::string, std::string> hashes_;  ///< by name, as whoever names it says it
};

}  // namespace dipaco
