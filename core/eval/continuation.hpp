#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/base/ids.hpp"
#include "core/data/shard_reader.hpp"
#include "core/data/token_file.hpp"
#include "core/eval/routed.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// Which path should continue each document at each token: what a transformer router learns (§7.2.2).
struct ContinuationTargets {
  std::map<DocumentId, std::size_t> places;  ///< of the documents
  /// [documents][tokens] T_ij, or Batch::kNoTarget for tokens of the prefix, which have no loss.
  std::vector<std::vector<std::int32_t>> paths;
};

/// T_ij, the path with the least sum of losses over tokens j, ..., min(J, j + look_ahead) - 1 of a document of J tokens
/// (the largest sum of S_ijp, §7.2.2); of equal ones the lowest. Loads each path once, scores every document under it.
/// Memory: 12 bytes a token of the documents.
ContinuationTargets continuation_targets(const PathSet& set, const std::vector<DocumentId>& documents,
                                         std::int64_t look_ahead);

/// The batch of a router step, of the reader of the targets' documents: in each of its epochs each of their tokens is
/// seen. Position t has the target of token t + 1, so that a router says before a token which path should take it. A
/// pure function. Choice: the paper does not say how router documents are drawn.
RouterBatch router_batch(const ContinuationTargets& targets, const ShardReader& reader, InnerSteps step);

}  // namespace dipaco
