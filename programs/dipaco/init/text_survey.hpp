#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace dipaco {

/// What the sizes of a run are chosen from. Tokens are those of a tokenizer that is trained on a part of the text.
struct TextFacts {
  std::int64_t documents = 0;
  std::int64_t bytes = 0;            ///< of their text
  std::vector<std::string> domains;  ///< that documents name, each once, in the order of the text
  std::int64_t vocabulary = 0;       ///< tokens that the tokenizer knows
  std::int64_t tokens = 0;           ///< of the whole text, by the bytes a token of that part
  std::int64_t median_tokens = 0;    ///< of a document
};

/// Reads the whole text once, chooses a vocabulary and counts tokens.
/// @param tell  is called now and then with the documents read so far; may throw
/// @throws DataError for what cannot be read, and for text that no tokenizer can be made of
TextFacts survey_text(const std::vector<std::filesystem::path>& files, const std::function<void(std::int64_t)>& tell);

}  // namespace dipaco
