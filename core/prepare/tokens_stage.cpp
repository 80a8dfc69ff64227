#include "core/prepare/tokens_stage.hpp"

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/data/corpus.hpp"
#include "core/data/sample.hpp"
#include "core/data/tokenizer.hpp"
#include "core/prepare/keys.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTokenizerFile = "tokenizer.model";
constexpr const char* kTokensFile = "tokens.bin";
/// Text that a tokenizer is trained on at most, for each token of its vocabulary: BPE's time grows with the text, its
/// merges hardly change. 32,000 tokens get 32 MB.
constexpr std::size_t kSampleBytesPerToken = 1000;

std::vector<std::string> sample_documents(const std::vector<fs::path>& files, std::size_t most) {
  DocumentSample sample(most);
  for_each_document(files, [&](const Document& document) { sample.add(document.text); });
  return sample.take();
}

/// Of a tokenizer that is trained.
StageRequest tokenizer_request(const RunConfig& config, const CorpusFiles& files) {
  Keys keys;
  keys.add("format", 1);
  CorpusFiles{.train = files.train, .validation = {}}.add_to(keys);
  keys.add("model.vocabulary", config.model.vocabulary);
  return {.name = "tokenizer", .keys = keys.text()};
}

void require_validation(const Corpus& corpus, const RunConfig& config) {
  if (!corpus.splits.validation.empty()) return;
  const std::string& files = config.data.validation.empty() ? config.data.train : config.data.validation;
  throw DataError(files + ": no document for validation among " + std::to_string(corpus.tokens->documents().size()) +
                  ", of which " + std::to_string(corpus.splits.dropped) +
                  " have no token behind the first routing.prefix=" + std::to_string(config.routing.prefix) +
                  ": name more text, raise data.validation_fraction, or name other files in data.validation");
}

[[noreturn]] void throw_missing(const std::vector<fs::path>& files) {
  throw DataError(files.front().string() +
                  (files.size() > 1 ? " and " + std::to_string(files.size() - 1) + " more" : "") +
                  ": not tokenized yet: run `dipaco prepare --part I/N` for every I from 0 to N-1, in this cache, "
                  "before --join");
}

/// @throws DataError where a file's tokens are to be there and are not
void require_all(const FileTokens& tokens, const CorpusFiles& files) {
  std::vector<fs::path> missing;
  for (const std::vector<CorpusFile>* list : {&files.train, &files.validation}) {
    for (const CorpusFile& file : *list) {
      if (!tokens.is_there(file)) missing.push_back(file.file);
    }
  }
  if (!missing.empty()) throw_missing(missing);
}

/// Makes one token file of those of all files.
void join(FileTokens& tokens, const CorpusFiles& files, const fs::path& to, std::int64_t prefix) {
  TokenFileWriter writer(to, tokens.tokenizer().vocabulary(), prefix);
  const auto append = [&](const std::vector<CorpusFile>& list, bool validation) {
    std::size_t documents = 0;
    for (const CorpusFile& file : list) {
      const TokenFile some = tokens.open(file);
      documents += some.documents().size();
      writer.append(some, validation);
    }
    return documents;
  };
  if (append(files.train, false) == 0) throw_no_document(paths_of(files.train));
  if (!files.validation.empty() && append(files.validation, true) == 0) {
    throw_no_document(paths_of(files.validation));
  }
  writer.finish();
}

}  // namespace

StageRequest tokens_request(const RunConfig& config, const PrepareOptions& options, const CorpusFiles& files) {
  const bool trained = config.data.tokenizer.empty();
  Keys keys;
  keys.add("format", 1);
  files.add_to(keys);
  keys.add("data.tokenizer",
           trained ? "trained" : hash_hex(MappedFile(options.folder / config.data.tokenizer).bytes()));
  keys.add("model.vocabulary", config.model.vocabulary).add("routing.prefix", config.routing.prefix);
  return {.name = "tokens", .keys = keys.text()};
}

fs::path tokenizer_of(const Preparation& preparation, const CorpusFiles& files) {
  const RunConfig& config = preparation.config;
  if (!config.data.tokenizer.empty()) return preparation.options.folder / config.data.tokenizer;
  const Stage stage =
      open_stage(preparation.options.cache, tokenizer_request(config, files), [&](const fs::path& folder) {
        preparation.tell("tokenizer", 0, 1);
        const auto vocabulary = static_cast<std::size_t>(config.model.vocabulary);
        train_tokenizer(sample_documents(paths_of(files.train), vocabulary * kSampleBytesPerToken),
                        config.model.vocabulary, folder / kTokenizerFile);
        preparation.tell("tokenizer", 1, 1);
      });
  return stage.folder / kTokenizerFile;
}

std::string tokens_stage_hash(const RunConfig& config, const PrepareOptions& options) {
  return stage_hash(tokens_request(config, options, find_corpus(config, options)));
}

Stage tokens_stage(const Preparation& preparation, const CorpusFiles& files) {
  const RunConfig& config = preparation.config;
  const PrepareOptions& options = preparation.options;
  const bool trained = config.data.tokenizer.empty();
  const StageRequest tokenizer_stage = tokenizer_request(config, files);
  const Stage stage = open_stage(options.cache, tokens_request(config, options, files), [&](const fs::path& folder) {
    if (preparation.missing == Missing::refused && trained && !has_stage(options.cache, tokenizer_stage)) {
      throw_missing(paths_of(files.train));
    }
    const fs::path tokenizer = tokenizer_of(preparation, files);
    FileTokens tokens(preparation, tokenizer);
    if (preparation.missing == Missing::refused) require_all(tokens, files);
    write_file(folder / kTokenizerFile, read_file(tokenizer));
    join(tokens, files, folder / kTokensFile, config.routing.prefix);
  });
  const FileTokens tokens(preparation, stage.folder / kTokenizerFile);
  for (const CorpusFile& file : files.train) tokens.remove(file);
  for (const CorpusFile& file : files.validation) tokens.remove(file);
  if (trained) remove_stage(options.cache, tokenizer_stage);
  return stage;
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
