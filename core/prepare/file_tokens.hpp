#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/data/tokenizer.hpp"
#include "core/prepare/corpus_files.hpp"
#include "core/prepare/preparation.hpp"
#include "core/prepare/stage.hpp"

namespace dipaco {

/// Tokenizes files of a corpus, each as a stage of its own until stage `tokens` is made of them: what is stopped goes
/// on with the next file, and several processes may take files each.
class FileTokens {
 public:
  /// Borrows `preparation`. @throws DataError where the file cannot be read
  FileTokens(const Preparation& preparation, const std::filesystem::path& tokenizer);

  bool is_there(const CorpusFile& file) const;
  /// Opens the file's tokens, or makes them. They may be of no document.
  /// @throws DataError for the text, naming file and line
  TokenFile open(const CorpusFile& file);
  void remove(const CorpusFile& file) const;
  /// Loads it when it is first asked for.
  /// @throws DataError where it is none; ConfigError where it has more tokens than model.vocabulary
  const Tokenizer& tokenizer();

 private:
  StageRequest request(const CorpusFile& file) const;
  void tokenize(const CorpusFile& file, const std::filesystem::path& to);

  const Preparation& preparation_;
  std::filesystem::path file_;  ///< of the tokenizer
  std::string tokenizer_hash_;
  std::optional<Tokenizer> tokenizer_;
  std::int64_t documents_ = 0;  ///< opened or tokenized so far
};

}  // namespace dipaco
