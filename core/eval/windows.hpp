#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/data/token_file.hpp"
#include "core/eval/routed.hpp"
#include "core/eval/score.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

// Routing more than once a document (§2.4.3): behind its prefix a document is cut into chunks of W tokens, and each
// chunk has a path. The first chunk's is the document router's; chunk i chooses for chunk i + 1 by what a transformer
// router says at its last token.

/// A transformer router (core/trainer/transformer_router.hpp) and what it runs on.
struct TransformerRouter {
  const Trainer& trainer;
  std::span<const float> parameters;
  std::int32_t paths = 0;
};

/// The paths of documents, chunk by chunk.
struct WindowRoutes {
  std::int64_t window = 0;                 ///< W, tokens
  std::vector<std::vector<PathId>> paths;  ///< [documents][chunks]
  std::int64_t positions = 0;              ///< that the router runs: of each stretch, up to its last boundary
};

/// Where the boundaries of a document of `tokens` tokens lie, ascending: prefix + W, prefix + 2 W, ... up to its last
/// token. Chunk i + 1 begins at boundary i.
std::vector<std::int64_t> boundaries(std::int64_t tokens, std::int64_t prefix, std::int64_t window);

/// @param first  [documents] the document router's paths
/// Choice: the router reads a document in stretches of score.sequence tokens that begin every half of that, so that it
/// has read half of it at least before it is asked, or all there is; of equal logits the lower path's counts.
/// @throws DataError where a logit is not finite
WindowRoutes route_windows(const TransformerRouter& router, const TokenFile& tokens,
                           const std::vector<DocumentId>& documents, const std::vector<PathId>& first,
                           std::int64_t window, const ScoreOptions& score);

struct WindowScore {
  Score total;                  ///< summed document by document, in their order
  std::vector<double> nats;     ///< [documents]
  std::int64_t switches = 0;    ///< boundaries at which the path changes
  std::int64_t recomputed = 0;  ///< positions of context that a path has to run again at switches
  std::int64_t positions = 0;   ///< that are run once without any switch: all but each document's last token
};

/// Each token under the path that is active, which has run all earlier tokens of the token's piece itself: at a switch
/// they are run again, as its caches are another path's. Of a switch at boundary b these are the positions before b - 1
/// in the piece of b - 1; position b - 1, whose output foretells token b, is run for the first time.
/// A path scores only the documents that visit it. @throws DataError where a loss is not finite
WindowScore score_windows(const PathSet& set, const std::vector<DocumentId>& documents, const WindowRoutes& routes);

}  // namespace dipaco
