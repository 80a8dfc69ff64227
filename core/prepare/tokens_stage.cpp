#include "core/prepare/tokens_stage.hpp"

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/data/corpus.hpp"
#include "core/data/sample.hpp"
#include "core/data/tokenizer.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/prepare/keys.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTokenizerFile = "tokenizer.model";
constexpr const char* kTokensFile = "tokens.bin";
/// Text that a tokenizer is trained on at most, for each token of its vocabulary: BPE's time grows with the text, its
/// merges hardly change. 32,000 tokens get 32 MB.
constexpr std::size_t kSampleBytesPerToken = 1000;
constexpr std::size_t kTokenizedAtATime = 512;  // held in memory, tokenized side by side

struct CorpusFiles {
  std::vector<fs::path> train;
  std::vector<fs::path> validation;
};

struct Text {
  std::string text;
  std::string domain;
};

CorpusFiles find_corpus(const RunConfig& config, const PrepareOptions& options) {
  const DataOptions& data = config.data;
  if (data.train.empty()) throw ConfigError("data.train: no text is named; name .jsonl, .jsonl.gz or .txt files");
  CorpusFiles files{.train = find_files(data.train, options.folder), .validation = {}};
  if (!data.validation.empty()) files.validation = find_files(data.validation, options.folder);
  return files;
}

/// The kind of a file decides how it is read, its bytes what is in it; its name and place do not count.
void add_files(Keys& keys, std::string_view use, const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    keys.add(use, file.extension().string() + " " + hash_hex(MappedFile(file).bytes()));
  }
}

std::vector<std::string> sample_documents(const std::vector<fs::path>& files, std::size_t most) {
  DocumentSample sample(most);
  for_each_document(files, [&](const Document& document) { sample.add(document.text); });
  return sample.take();
}

void make_tokenizer(const Preparation& preparation, const CorpusFiles& files, const fs::path& model) {
  const RunConfig& config = preparation.config;
  preparation.tell("tokenizer", 0, 1);
  if (config.data.tokenizer.empty()) {
    const auto vocabulary = static_cast<std::size_t>(config.model.vocabulary);
    train_tokenizer(sample_documents(files.train, vocabulary * kSampleBytesPerToken), config.model.vocabulary, model);
  } else {
    write_file(model, read_file(preparation.options.folder / config.data.tokenizer));
  }
  preparation.tell("tokenizer", 1, 1);
}

void require_vocabulary(const Tokenizer& tokenizer, const RunConfig& config) {
  if (tokenizer.vocabulary() <= config.model.vocabulary) return;
  throw ConfigError("data.tokenizer=" + config.data.tokenizer + " has " + std::to_string(tokenizer.vocabulary()) +
                    " tokens and model.vocabulary=" + std::to_string(config.model.vocabulary) +
                    " is smaller: set model.vocabulary=" + std::to_string(tokenizer.vocabulary()));
}

/// Tokenizes documents as they come, some at a time, and writes them in their order.
class Tokenizing {
 public:
  Tokenizing(const Preparation& preparation, const Tokenizer& tokenizer, TokenFileWriter& writer)
      : preparation_(preparation), tokenizer_(tokenizer), writer_(writer) {}

  void add(const std::vector<fs::path>& files, bool validation) {
    for_each_document(files, [&](const Document& document) {
      texts_.push_back({std::string(document.text), std::string(document.domain)});
      if (texts_.size() == kTokenizedAtATime) write(validation);
    });
    write(validation);
  }

 private:
  void write(bool validation) {
    std::vector<Encoded> encoded(texts_.size());
    side_by_side(texts_.size(), preparation_.options.threads,
                 [&](std::size_t i) { encoded[i] = tokenizer_.encode(texts_[i].text); });
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      const auto& [text, domain] = texts_[i];
      writer_.add(encoded[i].tokens, encoded[i].ends, text_hash(text), static_cast<std::uint32_t>(text.size()), domain,
                  validation);
    }
    written_ += static_cast<std::int64_t>(texts_.size());
    texts_.clear();
    preparation_.tell("tokens", written_, 0);
  }

  const Preparation& preparation_;
  const Tokenizer& tokenizer_;
  TokenFileWriter& writer_;
  std::vector<Text> texts_;
  std::int64_t written_ = 0;
};

void require_validation(const Corpus& corpus, const RunConfig& config) {
  if (!corpus.splits.validation.empty()) return;
  const std::string& files = config.data.validation.empty() ? config.data.train : config.data.validation;
  throw DataError(files + ": no document for validation among " + std::to_string(corpus.tokens->documents().size()) +
                  ", of which " + std::to_string(corpus.splits.dropped) +
                  " have no token behind the first routing.prefix=" + std::to_string(config.routing.prefix) +
                  ": name more text, raise data.validation_fraction, or name other files in data.validation");
}

StageRequest tokens_request(const RunConfig& config, const PrepareOptions& options, const CorpusFiles& files) {
  const bool trained = config.data.tokenizer.empty();
  Keys keys;
  keys.add("format", 1);
  add_files(keys, "data.train", files.train);
  add_files(keys, "data.validation", files.validation);
  keys.add("data.tokenizer",
           trained ? "trained" : hash_hex(MappedFile(options.folder / config.data.tokenizer).bytes()));
  keys.add("model.vocabulary", config.model.vocabulary).add("routing.prefix", config.routing.prefix);
  return {.name = "tokens", .keys = keys.text()};
}

}  // namespace

std::string tokens_stage_hash(const RunConfig& config, const PrepareOptions& options) {
  return stage_hash(tokens_request(config, options, find_corpus(config, options)));
}

Stage tokens_stage(const Preparation& preparation) {
  const RunConfig& config = preparation.config;
  const PrepareOptions& options = preparation.options;
  const CorpusFiles files = find_corpus(config, options);
  return open_stage(options.cache, tokens_request(config, options, files), [&](const fs::path& folder) {
    make_tokenizer(preparation, files, folder / kTokenizerFile);
    const Tokenizer tokenizer(folder / kTokenizerFile);
    require_vocabulary(tokenizer, config);
    TokenFileWriter writer(folder / kTokensFile, tokenizer.vocabulary(), config.routing.prefix);
    Tokenizing tokenizing(preparation, tokenizer, writer);
    tokenizing.add(files.train, false);
    if (!files.validation.empty()) tokenizing.add(files.validation, true);
    writer.finish();
  });
}

Corpus open_corpus(const Preparation& preparation, const Stage& stage, std::size_t router_minimum) {
  const RunConfig& config = preparation.config;
  Corpus corpus;
  corpus.tokenizer = stage.folder / kTokenizerFile;
  corpus.tokenizer_hash = hash_hex(MappedFile(corpus.tokenizer).bytes());
  corpus.tokens = std::make_shared<const TokenFile>(TokenFile::open(stage.folder / kTokensFile));
  corpus.splits = split_documents(*corpus.tokens, config.data, config.routing.router_fraction, router_minimum);
  require_validation(corpus, config);
  return corpus;
}

}  // namespace dipaco
