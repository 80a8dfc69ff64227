#pragma once

#include <cstdint>
#include <vector>

#include "core/base/ids.hpp"
#include "core/data/options.hpp"
#include "core/data/token_file.hpp"

namespace dipaco {

/// Documents by use. Each goes by its hash alone: adding, removing or reordering others moves none.
struct Splits {
  std::vector<DocumentId> train;   ///< with the hold-outs: a shard's hold-out is drawn from its own documents
  std::vector<DocumentId> router;  ///< that routers are fitted to (§2.4: 0.5 %); in a small corpus also in `train`
  std::vector<DocumentId> validation;
  std::int64_t dropped = 0;  ///< documents with no token behind the prefix
};

/// Divides the documents of a token file by use. A document whose tokens all lie in the prefix is dropped. With
/// `validation_documents` the validation documents of the lowest draws stay, and the others serve nothing. All lists
/// are in the order of the file.
/// @param router_fraction  of the documents; where that gives fewer than `router_minimum`, train documents serve as
///   router documents too (Choice: a small corpus has too few to cluster).
/// @throws DataError if no training document is left.
Splits split_documents(const TokenFile& tokens, const DataOptions& options, double router_fraction,
                       std::size_t router_minimum);

/// The router documents that are no train documents; all where these are fewer than a tenth of them: enough for what
/// scores every one of them under every path (docs/decisions/0013).
std::vector<DocumentId> unlearned_router_documents(const Splits& splits);

/// Whether a training document belongs to the hold-out of its shard (§2.7): drawn from its text's hash with probability
/// options.holdout_fraction, the same in every run.
bool in_holdout(const DocumentRecord& document, const DataOptions& options);

}  // namespace dipaco
