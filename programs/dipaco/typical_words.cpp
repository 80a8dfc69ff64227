#include "programs/dipaco/typical_words.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/data/tokenizer.hpp"
#include "core/data/utf8.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kEnoughTokens = 200'000;
constexpr std::size_t kLeastLetters = 3;
constexpr std::int64_t kLeastDocuments = 2;

struct Use {
  std::int64_t times = 0;
  std::int64_t documents = 0;
};

/// The words of some text.
struct Vocabulary {
  std::map<std::string, Use> words;
  std::int64_t all = 0;  ///< words, each as often as it occurs
};

/// Letters of ASCII, and all that is not ASCII.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

void add_document(Vocabulary& vocabulary, std::string_view text) {
  std::set<std::string> seen;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_letter);
    at = std::find_if_not(begin, text.end(), is_letter);
    std::string word(begin, at);
    if (count_characters(word) < kLeastLetters) continue;
    std::ranges::transform(word, word.begin(), small);
    Use& use = vocabulary.words[word];
    ++use.times;
    ++vocabulary.all;
    if (seen.insert(std::move(word)).second) ++use.documents;
  }
}

Vocabulary words_of(const TokenFile& file, const Tokenizer& tokenizer, const Shard& shard) {
  Vocabulary vocabulary;
  std::int64_t read = 0;
  for (const DocumentId id : shard.train) {
    if (read >= kEnoughTokens) break;
    std::vector<std::int32_t> tokens(file.document(id).tokens - 1);  // without the end of the document
    file.copy_tokens(id, 0, tokens);
    add_document(vocabulary, tokenizer.decode(tokens));
    read += std::ssize(tokens);
  }
  return vocabulary;
}

}  // namespace

std::vector<std::vector<std::string>> typical_words(const LoadedRun& loaded, const std::vector<Shard>& shards,
                                                    std::size_t most) {
  const Tokenizer tokenizer(loaded.run.model() / "tokenizer.model");
  std::vector<Vocabulary> parts;
  std::map<std::string, std::int64_t> everywhere;
  std::int64_t all = 0;
  for (const Shard& shard : shards) {
    const Vocabulary& part = parts.emplace_back(words_of(*loaded.text->tokens, tokenizer, shard));
    for (const auto& [word, use] : part.words) everywhere[word] += use.times;
    all += part.all;
  }
  std::vector<std::vector<std::string>> typical;
  for (const Vocabulary& part : parts) {
    std::vector<std::pair<double, std::string>> found;
    for (const auto& [word, use] : part.words) {
      if (use.documents < kLeastDocuments) continue;
      const double here = static_cast<double>(use.times) / static_cast<double>(part.all);
      const double there = static_cast<double>(everywhere.at(word)) / static_cast<double>(all);
      if (here > there) found.emplace_back(-static_cast<double>(use.times) * std::log(here / there), word);
    }
    std::ranges::sort(found);
    auto& words = typical.emplace_back();
    for (std::size_t i = 0; i < std::min(most, found.size()); ++i) words.push_back(found[i].second);
  }
  return typical;
}

}  // namespace dipaco
