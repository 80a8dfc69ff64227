#include "core/prepare/file_tokens.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/data/corpus.hpp"
#include "core/data/sample.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/prepare/keys.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFileTokens = "tokens.bin";
constexpr std::size_t kTokenizedAtATime = 512;  // held in memory, tokenized side by side

void require_vocabulary(const Tokenizer& tokenizer, const RunConfig& config) {
  if (tokenizer.vocabulary() <= config.model.vocabulary) return;
  throw ConfigError("data.tokenizer=" + config.data.tokenizer + " has " + std::to_string(tokenizer.vocabulary()) +
                    " tokens and model.vocabulary=" + std::to_string(config.model.vocabulary) +
                    " is smaller: set model.vocabulary=" + std::to_string(tokenizer.vocabulary()));
}

struct Text {
  std::string text;
  std::string domain;
};

/// Tokenizes documents side by side and writes them in their order.
void write_texts(const std::vector<Text>& texts, const Tokenizer& tokenizer, int threads, TokenFileWriter& writer) {
  std::vector<Encoded> encoded(texts.size());
  side_by_side(texts.size(), threads, [&](std::size_t i) { encoded[i] = tokenizer.encode(texts[i].text); });
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& [text, domain] = texts[i];
    writer.add(encoded[i].tokens, encoded[i].ends, text_hash(text), static_cast<std::uint32_t>(text.size()), domain,
               false);
  }
}

}  // namespace

FileTokens::FileTokens(const Preparation& preparation, const fs::path& tokenizer)
    : preparation_(preparation), file_(tokenizer), tokenizer_hash_(hash_hex(MappedFile(tokenizer).bytes())) {}

const Tokenizer& FileTokens::tokenizer() {
  if (!tokenizer_) {
    tokenizer_.emplace(file_);
    require_vocabulary(*tokenizer_, preparation_.config);
  }
  return *tokenizer_;
}

StageRequest FileTokens::request(const CorpusFile& file) const {
  Keys keys;
  keys.add("format", 1)
      .add("text", file.kind_and_hash)
      .add("tokenizer", tokenizer_hash_)
      .add("routing.prefix", preparation_.config.routing.prefix);
  return {.name = "file_tokens", .keys = keys.text()};
}

bool FileTokens::is_there(const CorpusFile& file) const { return has_stage(preparation_.options.cache, request(file)); }

void FileTokens::remove(const CorpusFile& file) const { remove_stage(preparation_.options.cache, request(file)); }

TokenFile FileTokens::open(const CorpusFile& file) {
  bool told = false;
  const Stage stage = open_stage(preparation_.options.cache, request(file), [&](const fs::path& folder) {
    tokenize(file, folder / kFileTokens);
    told = true;
  });
  TokenFile tokens = TokenFile::open(stage.folder / kFileTokens);
  if (!told) {
    documents_ += std::ssize(tokens.documents());
    preparation_.tell("tokens", documents_, 0);
  }
  return tokens;
}

void FileTokens::tokenize(const CorpusFile& file, const fs::path& to) {
  TokenFileWriter writer(to, tokenizer().vocabulary(), preparation_.config.routing.prefix);
  std::vector<Text> texts;
  const auto write = [&] {
    write_texts(texts, tokenizer(), preparation_.options.threads, writer);
    documents_ += std::ssize(texts);
    texts.clear();
    preparation_.tell("tokens", documents_, 0);
  };
  visit_documents(file.file, [&](const Document& document) {
    texts.push_back({std::string(document.text), std::string(document.domain)});
    if (texts.size() == kTokenizedAtATime) write();
  });
  write();
  writer.finish();
}

}  // namespace dipaco
