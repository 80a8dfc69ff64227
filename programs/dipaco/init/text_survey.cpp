#include "programs/dipaco/init/text_survey.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>
#include <string_view>
#include <system_error>

#include "core/base/error.hpp"
#include "core/data/corpus.hpp"
#include "core/data/sample.hpp"
#include "core/data/tokenizer.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

/// Text that tokens are counted in: enough for the mean of a document, little enough to be done in seconds.
constexpr std::size_t kSampleBytes = 2'000'000;
/// Documents between two calls of `tell`.
constexpr std::int64_t kTellEvery = 1000;
/// Bytes of text for each token of the vocabulary: a quarter of what a tokenizer is trained on at most.
constexpr std::int64_t kBytesPerToken = 4000;
constexpr std::int64_t kSmallest = 512;    // the 256 bytes, and as many words
constexpr std::int64_t kLargest = 32'000;  // the paper's (section 4)

/// A folder of its own for a tokenizer that nobody needs afterwards.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "dipaco-init-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw DataError(pattern + ": cannot make a folder for temporary files; set TMPDIR to one that can be written");
    }
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Different characters of some texts: each must be able to be a token.
std::int64_t different_characters(const std::vector<std::string>& texts) {
  std::set<std::string_view> found;
  for (const std::string& text : texts) {
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
      found.insert(std::string_view(text).substr(at, end - at));
      at = end;
    }
  }
  return std::ssize(found);
}

/// A power of two: by the bytes of the text, and at least twice what single bytes and characters take.
std::int64_t vocabulary_of(std::int64_t bytes, std::int64_t characters) {
  const auto by_text = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes / kBytesPerToken)));
  const auto by_characters = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * characters)));
  return std::clamp(std::max(by_text, by_characters), kSmallest, kLargest);
}

Tokenizer trained_tokenizer(const std::vector<std::string>& sample, std::int64_t vocabulary) {
  const ScratchFolder scratch;
  const fs::path model = scratch.path() / "tokenizer.model";
  try {
    train_tokenizer(sample, vocabulary, model);
  } catch (const ConfigError& error) {
    throw DataError("this text is too uniform to learn from: " + std::string(error.what()));
  }
  return Tokenizer(model);
}

}  // namespace

TextFacts survey_text(const std::vector<fs::path>& files, const std::function<void(std::int64_t)>& tell) {
  TextFacts facts;
  DocumentSample drawn(kSampleBytes);
  std::set<std::string> domains;
  for_each_document(files, [&](const Document& document) {
    if (facts.documents++ % kTellEvery == 0) tell(facts.documents - 1);
    facts.bytes += std::ssize(document.text);
    drawn.add(document.text);
    const std::string domain(document.domain);
    if (!domain.empty() && domains.insert(domain).second) facts.domains.push_back(domain);
  });
  tell(facts.documents);
  const std::vector<std::string> sample = drawn.take();
  facts.vocabulary = vocabulary_of(facts.bytes, different_characters(sample));
  const Tokenizer tokenizer = trained_tokenizer(sample, facts.vocabulary);
  std::vector<std::int64_t> lengths;
  std::int64_t bytes = 0;
  std::int64_t tokens = 0;
  for (const std::string& text : sample) {
    lengths.push_back(std::ssize(tokenizer.encode(text).tokens));
    tokens += lengths.back();
    bytes += std::ssize(text);
  }
  facts.tokens = static_cast<std::int64_t>(static_cast<double>(tokens) * static_cast<double>(facts.bytes) /
                                           static_cast<double>(bytes));
  const auto middle = lengths.begin() + std::ssize(lengths) / 2;
  std::nth_element(lengths.begin(), middle, lengths.end());
  facts.median_tokens = *middle;
  return facts;
}

}  // namespace dipaco
