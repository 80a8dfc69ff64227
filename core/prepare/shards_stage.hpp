#pragma once

#include <cstddef>
#include <vector>

#include "core/prepare/preparation.hpp"
#include "core/prepare/routes_stage.hpp"
#include "core/prepare/stage.hpp"

namespace dipaco {

/// Router documents for so many paths. Choice: §2.4 takes 0.5 % of a corpus of hundreds of millions of documents.
std::size_t router_minimum(std::int32_t paths);

/// @throws ConfigError where the router cannot be fitted to so few router documents, or documents cannot go to
/// routing.overlap paths
void require_routing(const Preparation& preparation, const Corpus& corpus, std::int32_t paths);

StageRequest shards_request(const Preparation& preparation, const Stage& start, std::int32_t paths);

/// Stage `shards`: the router, fitted to the features of the router documents under the start, and each path's
/// documents. A train document goes to its routing.overlap best paths; hold-outs and validation documents to the best
/// alone (§2.4.4: nothing overlaps at evaluation; Choice for the hold-outs). Made of `lots`, which go once it is there.
/// @param request  of shards_request()
/// @throws ConfigError where a path is left without a document, saying what to do
Stage shards_stage(const Preparation& preparation, const StageRequest& request, const Corpus& corpus,
                   std::int32_t paths, LotsOfRoutes& lots);

/// The stage's shards [P]. @throws DataError
std::vector<Shard> open_shards(const Stage& stage, const Corpus& corpus, std::int32_t paths);
std::filesystem::path router_file(const Stage& stage);

}  // namespace dipaco
