#include "core/prepare/corpus_files.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/data/corpus.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

std::vector<CorpusFile> found(const std::string& patterns, const PrepareOptions& options) {
  std::vector<CorpusFile> files;
  for (fs::path& file : find_files(patterns, options.folder)) {
    std::string kind_and_hash = file.extension().string() + " " + hash_hex(MappedFile(file).bytes());
    files.push_back({std::move(file), std::move(kind_and_hash)});
  }
  return files;
}

}  // namespace

void CorpusFiles::add_to(Keys& keys) const {
  for (const CorpusFile& file : train) keys.add("data.train", file.kind_and_hash);
  for (const CorpusFile& file : validation) keys.add("data.validation", file.kind_and_hash);
}

std::vector<fs::path> paths_of(const std::vector<CorpusFile>& files) {
  std::vector<fs::path> paths;
  for (const CorpusFile& file : files) paths.push_back(file.file);
  return paths;
}

CorpusFiles find_corpus(const RunConfig& config, const PrepareOptions& options) {
  const DataOptions& data = config.data;
  if (data.train.empty()) throw ConfigError("data.train: no text is named; name .jsonl, .jsonl.gz or .txt files");
  CorpusFiles files{.train = found(data.train, options), .validation = {}};
  if (!data.validation.empty()) files.validation = found(data.validation, options);
  return files;
}

}  // namespace dipaco
