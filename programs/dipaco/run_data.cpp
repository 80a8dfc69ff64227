#include "programs/dipaco/run_data.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/data/corpus.hpp"
#include "core/data/tokenizer.hpp"
#include "programs/shared/cache.hpp"
#include "programs/shared/program.hpp"
#include "programs/shared/session.hpp"

namespace dipaco {
namespace {

namespace fs = std::filesystem;

fs::path make_folder() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) throw DataError("no folder for temporary files: " + error.message() + "; name one that exists by TMPDIR");
  std::string name = (folder / "dipaco-evaluate-XXXXXX").string();
  if (::mkdtemp(name.data()) != nullptr) return name;
  throw DataError(name + ": cannot be made: " + std::strerror(errno) + "; name another folder by TMPDIR");
}

/// Tells how far it is now and then. @throws Interrupted
class Telling {
 public:
  Telling(Progress& progress, const StopSignal& stop) : progress_(progress), stop_(stop) {}
  void document() {
    if (++documents_ % kBetween != 0) return;
    progress_.show("documents", documents_, 0);
    if (stop_.requested()) throw Interrupted("nothing is kept; give the same command again");
  }

 private:
  static constexpr std::int64_t kBetween = 100;
  Progress& progress_;
  const StopSignal& stop_;
  std::int64_t documents_ = 0;
};

void write_tokens(const FinishedRun& run, const std::string& patterns, const fs::path& file, Telling telling) {
  const fs::path model = run.model() / "tokenizer.model";
  const Tokenizer tokenizer(model);
  if (tokenizer.vocabulary() > run.config().model.vocabulary) {
    throw DataError(model.string() + ": a tokenizer of " + std::to_string(tokenizer.vocabulary()) +
                    " tokens for a model of " + std::to_string(run.config().model.vocabulary) +
                    ": it is another run's; put the run's own back");
  }
  const std::vector<fs::path> files = find_files(patterns, fs::current_path());
  TokenFileWriter writer(file, tokenizer.vocabulary(), run.config().routing.prefix);
  for_each_document(files, [&](const Document& document) {
    const std::string_view text = document.text;
    const Encoded encoded = tokenizer.encode(text);
    writer.add(encoded.tokens, encoded.ends, checksum(std::as_bytes(std::span(text))),
               static_cast<std::uint32_t>(text.size()), document.domain, true);
    telling.document();
  });
  writer.finish();
}

EvaluationText open_text(const fs::path& file, const std::string& patterns) {
  EvaluationText text{.tokens = std::make_shared<const TokenFile>(TokenFile::open(file)), .documents = {}};
  const TokenFile& tokens = *text.tokens;
  for (std::uint32_t i = 0; i < tokens.documents().size(); ++i) {
    if (static_cast<std::int64_t>(tokens.document(DocumentId{i}).tokens) > tokens.prefix()) {
      text.documents.push_back(DocumentId{i});
    } else {
      ++text.dropped;
    }
  }
  if (!text.documents.empty()) return text;
  throw DataError(patterns + ": none of " + std::to_string(text.dropped) +
                  " documents has a token behind the first routing.prefix=" + std::to_string(tokens.prefix()) +
                  "; name longer ones");
}

void require_same_text(const FinishedRun& run, const PreparedText& prepared) {
  const fs::path tokenizer = run.model() / "tokenizer.model";
  if (hash_hex(MappedFile(tokenizer).bytes()) != hash_hex(MappedFile(prepared.tokenizer).bytes())) {
    throw DataError(tokenizer.string() + " differs from " + prepared.tokenizer.string() +
                    ", which data.train of run.cfg gives: put the run's own back, or the text that it learned from");
  }
  if (run.tokens_hash() == prepared.tokens_hash) return;
  throw DataError("the run learned from tokens " + run.tokens_hash() + " and data.train of run.cfg gives " +
                  prepared.tokens_hash + " now: put back the text that it learned from");
}

}  // namespace

LoadedRun load_run(const fs::path& folder, const std::string& device) {
  FinishedRun run(folder);
  const RunConfig& config = run.config();
  auto trainer = load_trainer({config.model, config.inner, run.layout(), device});
  TrainState start = read_start(config, run.layout(), run.start_file(), run.model() / "tokenizer.model");
  run.require_own_start();
  return {std::move(run), std::move(trainer), std::move(start.parameters), std::nullopt};
}

void load_text(LoadedRun& loaded, int threads, Progress& progress, const StopSignal& stop) {
  loaded.text = prepare_text(loaded.run.config(), loaded.run.topology(), loaded.run.layout(), *loaded.trainer,
                             {.folder = loaded.run.config().folder,
                              .cache = prepared_cache(),
                              .threads = threads,
                              .progress = show_preparation(progress, stop)});
  require_same_text(loaded.run, *loaded.text);
}

std::unique_ptr<Router> read_run_router(const FinishedRun& run, const Trainer& trainer) {
  const std::string source = (run.model() / "router").string();
  auto router = read_router(MappedFile(source).bytes(), source, trainer, run.config().parts->routers);
  require_fits(*router, run.topology().paths(), run.config().model.hidden, source);
  run.require_own_routing();
  return router;
}

TextTokens::TextTokens(const FinishedRun& run, const std::string& patterns, Progress& progress, const StopSignal& stop)
    : folder_(make_folder()) {
  try {
    const fs::path file = folder_ / "tokens.bin";
    write_tokens(run, patterns, file, {progress, stop});
    text_ = open_text(file, patterns);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    throw;
  }
}

TextTokens::~TextTokens() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace dipaco
