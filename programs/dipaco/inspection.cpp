#include "programs/dipaco/inspection.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/data/line_reader.hpp"
#include "core/data/tokenizer.hpp"
#include "core/prepare/routing.hpp"
#include "core/prepare/shard_file.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kDocumentsAtATime = 4096;  // whose features are in memory
constexpr std::uint32_t kShownTokens = 24;       // of a document, on one line

/// The begin of a document's text on one line.
std::string begin_of(const TokenFile& file, const Tokenizer& tokenizer, DocumentId id) {
  const std::uint32_t all = file.document(id).tokens - 1;  // without the end of the document
  std::vector<std::int32_t> tokens(std::min(all, kShownTokens));
  file.copy_tokens(id, 0, tokens);
  return on_one_line(tokenizer.decode(tokens));
}

bool better(const NearestDocument& a, const NearestDocument& b) {
  return std::pair(-a.score, index(a.document)) < std::pair(-b.score, index(b.document));
}

}  // namespace

std::vector<Shard> read_run_shards(const LoadedRun& loaded) {
  const auto file = loaded.run.model() / "shards";
  const auto documents = loaded.text->tokens->documents().size();
  std::vector<Shard> shards = decode_shards(MappedFile(file).bytes(), documents, file.string());
  const auto paths = static_cast<std::size_t>(loaded.run.topology().paths());
  if (shards.size() != paths) {
    throw DataError(file.string() + ": " + std::to_string(shards.size()) + " shards, and this topology has " +
                    std::to_string(paths) + " paths: it is another run's; put the run's own back");
  }
  loaded.run.require_own_routing();
  return shards;
}

Labels read_labels(const std::filesystem::path& file, const TokenFile& tokens) {
  const std::size_t documents = tokens.documents().size();
  std::vector<std::string> lines;
  if (file.empty()) {
    for (const DocumentRecord& document : tokens.documents()) lines.push_back(tokens.domains()[document.domain]);
  } else {
    LineReader reader(file, LineReader::Packing::plain);
    while (reader.next()) lines.emplace_back(reader.line());
  }
  if (lines.size() == documents) return make_labels(lines);
  throw DataError(file.string() + ": " + std::to_string(lines.size()) + " labels for " + std::to_string(documents) +
                  " documents; write one a line for each document, in the order of the run's text");
}

std::vector<NearestDocument> nearest_documents(const LoadedRun& loaded, const Router& router, const Shard& shard,
                                               const Nearest& wanted) {
  const TokenFile& tokens = *loaded.text->tokens;
  const FeatureSource source{.trainer = *loaded.trainer,
                             .parameters = loaded.start,
                             .tokens = tokens,
                             .prefix = loaded.run.config().routing.prefix,
                             .threads = wanted.threads};
  std::vector<NearestDocument> nearest;
  for (std::size_t first = 0; first < shard.train.size(); first += kDocumentsAtATime) {
    const auto part = std::span(shard.train).subspan(first, std::min(kDocumentsAtATime, shard.train.size() - first));
    std::vector<std::uint64_t> hashes;
    for (const DocumentId id : part) hashes.push_back(tokens.document(id).hash);
    const std::vector<float> scores = router.scores(features_of(source, router, part), hashes);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::size_t at =
          i * static_cast<std::size_t>(router.paths()) + static_cast<std::size_t>(index(wanted.path));
      nearest.push_back({part[i], scores[at], {}});
    }
    std::sort(nearest.begin(), nearest.end(), better);
    nearest.resize(std::min(nearest.size(), static_cast<std::size_t>(wanted.count)));
  }
  const Tokenizer tokenizer(loaded.run.model() / "tokenizer.model");
  for (NearestDocument& one : nearest) one.begin = begin_of(tokens, tokenizer, one.document);
  return nearest;
}

std::vector<LevelDistances> module_distances(const LoadedRun& loaded, int threads) {
  const std::span<const float> start = loaded.start;
  std::vector<LevelDistances> levels;
  for (std::int32_t level = 0; level < loaded.run.topology().levels(); ++level) {
    std::vector<std::vector<float>> experts;
    for (std::int32_t expert = 0; expert < loaded.run.topology().level(level).experts; ++expert) {
      experts.push_back(loaded.run.module({level, expert}, loaded.run.last_version()));
    }
    levels.push_back(level_distances(loaded.run.layout().part(start, level), experts, threads));
  }
  return levels;
}

}  // namespace dipaco
