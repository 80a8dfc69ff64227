#include "core/prepare/parts.hpp"

#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/error.hpp"
#include "core/prepare/dense_order.hpp"
#include "core/prepare/shards_stage.hpp"
#include "core/prepare/start_stage.hpp"
#include "core/prepare/tokens_stage.hpp"

namespace dipaco {
namespace {

/// Calls visit(i) for the part's share of `all`.
template <class Visit>
void for_share(std::size_t all, PreparePart part, Visit visit) {
  for (auto i = static_cast<std::size_t>(part.index); i < all; i += static_cast<std::size_t>(part.count)) visit(i);
}

/// Calls make(i) for the part's share of `all`, where there(i) says that it is missing.
template <class There, class Make>
PartDone do_share(PartDone::What what, std::size_t all, PreparePart part, There there, Make make) {
  PartDone done{.what = what, .all = static_cast<std::int64_t>(all)};
  for_share(all, part, [&](std::size_t i) {
    ++done.share;
    if (there(i)) return;
    make(i);
    ++done.made;
  });
  return done;
}

PartDone tokenize(const Preparation& preparation, const CorpusFiles& files, PreparePart part) {
  std::vector<CorpusFile> all = files.train;
  all.insert(all.end(), files.validation.begin(), files.validation.end());
  FileTokens tokens(preparation, tokenizer_of(preparation, files));
  return do_share(
      PartDone::What::files, all.size(), part, [&](std::size_t i) { return tokens.is_there(all[i]); },
      [&](std::size_t i) { tokens.open(all[i]); });
}

PartDone route(LotsOfRoutes& lots, std::int32_t paths, PreparePart part) {
  std::size_t own = 0;
  for_share(lots.lots(), part, [&](std::size_t lot) { own += lots.documents(lot).size(); });
  lots.expect(own);
  const std::unique_ptr<Router> router = lots.open_router(paths);
  return do_share(
      PartDone::What::lots, lots.lots(), part, [&](std::size_t lot) { return lots.is_there(lot); },
      [&](std::size_t lot) { lots.open(lot, *router); });
}

}  // namespace

PartDone prepare_part(const RunConfig& config, const Topology& topology, const PathLayout& layout,
                      const Trainer& trainer, const PrepareOptions& options, PreparePart part) {
  check(part.index >= 0 && part.index < part.count, "a part is one of all");
  const DenseOrder dense(config, layout, trainer, options);
  const Preparation preparation = dense.preparation(Missing::made);
  const std::int32_t paths = topology.paths();
  const CorpusFiles files = find_corpus(config, options);
  if (!has_stage(options.cache, tokens_request(config, options, files))) return tokenize(preparation, files, part);
  const Stage tokens = tokens_stage(preparation, files);
  if (!has_stage(options.cache, start_request(config, options, tokens.hash))) return {};
  const Corpus corpus = open_corpus(preparation, tokens, router_minimum(paths));
  const Stage start = start_stage(preparation, tokens, corpus);
  const StageRequest request = shards_request(preparation, start, paths);
  const TrainState state = open_start(preparation, start);
  LotsOfRoutes lots(preparation, corpus, state.parameters, request.keys);
  if (has_stage(options.cache, request) || !lots.has_router()) return {};
  return route(lots, paths, part);
}

}  // namespace dipaco
