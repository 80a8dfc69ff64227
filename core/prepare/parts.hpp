#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/prepare/prepared.hpp"

namespace dipaco {

/// One of `count` processes that prepare for one run file side by side, in one cache.
struct PreparePart {
  std::int64_t index = 0;  ///< from 0
  std::int64_t count = 1;
};

/// What there was to do for a part, and what it did.
struct PartDone {
  enum class What { files, lots, nothing };
  What what = What::nothing;  ///< files to tokenize; lots of documents to route; nothing until the parts are joined
  std::int64_t made = 0;      ///< of them by this call
  std::int64_t share = 0;     ///< that are the part's
  std::int64_t all = 0;       ///< of all parts
};

/// Does the part's share of what many processes can do at once: first tokenizing, a file at a time; then, once the
/// parts are joined, routing, PrepareOptions::documents_of_a_lot at a time. What is there is not made again. Files and
/// lots are dealt in turn, so that a part does not depend on how many there are.
/// @throws as prepare(); std::logic_error unless 0 <= index < count
PartDone prepare_part(const RunConfig& config, const Topology& topology, const PathLayout& layout,
                      const Trainer& trainer, const PrepareOptions& options, PreparePart part);

/// As prepare(), but for what parts do: their tokens become one file, the start is trained and the router fitted; then
/// their routes become shards. @returns nullopt where the router was fitted, and routing is the parts' next task
/// @throws DataError, beside what prepare() throws, where tokens or, after an earlier join, routes are missing
std::optional<Prepared> join_parts(const RunConfig& config, const Topology& topology, const PathLayout& layout,
                                   const Trainer& trainer, const PrepareOptions& options);

}  // namespace dipaco
