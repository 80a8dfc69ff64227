#include <initializer_list>

#include "core/base/file.hpp"
#include "core/base/hash.hpp"
#include "core/prepare/dense_layout.hpp"
#include "core/prepare/dense_order.hpp"
#include "core/prepare/dense_stage.hpp"
#include "core/prepare/parts.hpp"
#include "core/prepare/preparation.hpp"
#include "core/prepare/prepared.hpp"
#include "core/prepare/shards_stage.hpp"
#include "core/prepare/start_stage.hpp"
#include "core/prepare/tokens_stage.hpp"

namespace dipaco {
namespace {

std::string prepared_hash(std::initializer_list<const Stage*> stages) {
  std::string all;
  for (const Stage* stage : stages) all += stage->hash + " " + stage->contents + "\n";
  return hash_hex(all);
}

PreparedText to_text(const Stage& tokens, const Corpus& corpus) {
  return {.tokens_hash = prepared_hash({&tokens}),
          .tokens = corpus.tokens,
          .splits = corpus.splits,
          .tokenizer = corpus.tokenizer};
}

/// nullopt: the router was fitted, and parts are to route
std::optional<Prepared> all_stages(const Preparation& preparation, std::int32_t paths, const PathLayout& layout) {
  const Stage tokens = tokens_stage(preparation, find_corpus(preparation.config, preparation.options));
  const Corpus corpus = open_corpus(preparation, tokens, router_minimum(paths));
  require_routing(preparation, corpus, paths);  // before hours of pretraining
  const Stage start = start_stage(preparation, tokens, corpus);
  const TrainState state = open_start(preparation, start);
  const StageRequest request = shards_request(preparation, start, paths);
  LotsOfRoutes lots(preparation, corpus, state.parameters, request.keys);
  if (preparation.missing == Missing::refused && parts_are_to_route(lots, preparation, request, paths)) {
    return std::nullopt;
  }
  const Stage shards = shards_stage(preparation, request, corpus, paths, lots);
  const Stage dense = dense_stage(preparation, start, corpus, paths, state);
  const DenseScores scores = open_dense(dense);
  Prepared prepared{to_text(tokens, corpus)};
  prepared.hash = prepared_hash({&tokens, &start, &shards, &dense});
  prepared.start = reordered(state, preparation.layout, layout);
  prepared.shards = open_shards(shards, corpus, paths);
  prepared.dense_start = scores.start;
  prepared.dense_equal_steps = scores.equal_steps;
  prepared.start_file = start_file(start);
  prepared.router = router_file(shards);
  return prepared;
}

}  // namespace

PreparedText prepare_text(const RunConfig& config, const Topology& topology, const PathLayout& layout,
                          const Trainer& trainer, const PrepareOptions& options) {
  const Preparation preparation{.config = config, .layout = layout, .trainer = trainer, .options = options};
  const Stage tokens = tokens_stage(preparation, find_corpus(config, options));
  return to_text(tokens, open_corpus(preparation, tokens, router_minimum(topology.paths())));
}

TrainState read_start(const RunConfig& config, const PathLayout& layout, const std::filesystem::path& file,
                      const std::filesystem::path& tokenizer) {
  const PathLayout dense_order = dense_layout(config.model);
  const StartFile start{
      .file = file,
      .source = file.string(),
      .tokenizer_hash = hash_hex(MappedFile(tokenizer).bytes()),
      .remedy = "put the run's own " + file.filename().string() + " and " + tokenizer.filename().string() + " back"};
  return reordered(read_start_file(config, dense_order, start), dense_order, layout);
}

Prepared prepare(const RunConfig& config, const Topology& topology, const PathLayout& layout, const Trainer& trainer,
                 const PrepareOptions& options) {
  const DenseOrder dense(config, layout, trainer, options);
  return all_stages(dense.preparation(Missing::made), topology.paths(), layout).value();
}

std::optional<Prepared> join_parts(const RunConfig& config, const Topology& topology, const PathLayout& layout,
                                   const Trainer& trainer, const PrepareOptions& options) {
  const DenseOrder dense(config, layout, trainer, options);
  return all_stages(dense.preparation(Missing::refused), topology.paths(), layout);
}

}  // namespace dipaco
