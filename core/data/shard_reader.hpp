#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/data/batch.hpp"
#include "core/data/piece.hpp"
#include "core/data/token_file.hpp"

namespace dipaco {

/// How a shard's documents become batches.
struct ReaderOptions {
  std::int64_t rows = 0;     ///< of a batch
  std::int64_t length = 0;   ///< tokens of a row
  std::int64_t prefix = 32;  ///< of each document's first tokens, out of the loss as targets
  std::uint64_t seed = 1;
  std::uint64_t stream = 0;      ///< which shard: draws of different streams are independent
  std::string name = "a shard";  ///< in errors
};

/// Endless batches of one shard's documents, as a pure function of the step: its cursor is a number.
///
/// An epoch is the documents in a drawn order, end to end, cut into rows, which come in a drawn order too: the rows of
/// a batch are of different documents, however long those are. The last row goes on with the epoch's first documents:
/// no position is padding, and in each epoch each token is seen, some of them twice. A document cut at a row's end goes
/// on in another row as a piece of its own: a segment with positions from 0. What is out of the loss goes by the place
/// in the document: a target among its first `prefix` tokens, in whichever piece. Thread-safe.
class ShardReader {
 public:
  /// @throws DataError naming options.name if no document has a token to predict behind the prefix;
  ///         std::logic_error where a document is not in `tokens`, or rows or length are not above 0.
  ShardReader(std::shared_ptr<const TokenFile> tokens, std::vector<DocumentId> documents, const ReaderOptions& options);
  ~ShardReader();
  ShardReader(ShardReader&&) noexcept;
  ShardReader& operator=(ShardReader&&) noexcept;

  /// The batch [rows, length] of this inner step, counted from the start of pretraining. REQUIRES step >= 0.
  Batch batch(InnerSteps step) const;
  /// What the batch is put together from, by row and segment.
  std::vector<Piece> pieces(InnerSteps step) const;
  /// Rows that an epoch is cut into; a batch may take the last of one and the first of the next.
  std::int64_t rows_per_epoch() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Which document a segment of an evaluation batch belongs to.
struct EvaluationPiece {
  std::int64_t row = 0;
  std::int32_t segment = 0;
  DocumentId document{};
};

/// A batch [rows, length] with the documents that it scores.
struct EvaluationBatch {
  Batch batch;
  std::vector<EvaluationPiece> pieces;  ///< by row and segment
};

/// Every document once, cut into pieces of at most `length` tokens from its start, whole pieces packed into rows
/// first-fit in the given order: what a document scores does not depend on its neighbours. Each token behind the prefix
/// is a target once. REQUIRES rows, length > 0.
/// @param rows  of a batch; the last batch may have fewer
/// @param most  tokens of a document, from its start; 0: all
std::vector<EvaluationBatch> pack_for_evaluation(const TokenFile& tokens, const std::vector<DocumentId>& documents,
                                                 std::int64_t rows, std::int64_t length, std::int64_t prefix,
                                                 std::int64_t most = 0);

/// The first `prefix` tokens of each document, a row each of `prefix` positions: what the router sees. No target;
/// padding behind a shorter document. REQUIRES rows, prefix > 0. @returns batches of at most `rows` rows.
std::vector<Batch> prefix_batches(const TokenFile& tokens, const std::vector<DocumentId>& documents, std::int64_t rows,
                                  std::int64_t prefix);

}  // namespace dipaco
