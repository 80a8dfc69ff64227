#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/config/run_config.hpp"
#include "core/prepare/keys.hpp"
#include "core/prepare/prepared.hpp"

namespace dipaco {

/// A file of the corpus. Its kind decides how it is read, its bytes what is in it; its name and place do not count.
struct CorpusFile {
  std::filesystem::path file;
  std::string kind_and_hash;  ///< ".jsonl 3F...": its ending, and the hash of its bytes
};

struct CorpusFiles {
  std::vector<CorpusFile> train;
  std::vector<CorpusFile> validation;

  /// A line for each file, for a stage that depends on the use of each.
  void add_to(Keys& keys) const;
};

std::vector<std::filesystem::path> paths_of(const std::vector<CorpusFile>& files);

/// Finds the files that the run file names, and reads each once, for its hash.
/// @throws ConfigError where no text is named; DataError where a pattern names no file, or one cannot be read
CorpusFiles find_corpus(const RunConfig& config, const PrepareOptions& options);

}  // namespace dipaco
