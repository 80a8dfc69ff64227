#include <algorithm>
#include <bit>

#include "core/base/error.hpp"
#include "core/data/piece.hpp"
#include "core/data/shard_reader.hpp"

namespace dipaco {
namespace {

/// First-fit in O(log n): a tree over the rows, each node the most free positions below it.
class FirstFit {
 public:
  FirstFit(std::size_t rows, std::int64_t length) : leaves_(std::bit_ceil(rows)), free_(2 * leaves_, length) {}

  /// The first row with `count` positions left, which are then taken.
  std::size_t place(std::int64_t count) {
    std::size_t node = 1;
    while (node < leaves_) node = free_[2 * node] >= count ? 2 * node : 2 * node + 1;
    const std::size_t row = node - leaves_;
    free_[node] -= count;
    while (node > 1) {
      node /= 2;
      free_[node] = std::max(free_[2 * node], free_[2 * node + 1]);
    }
    return row;
  }

 private:
  std::size_t leaves_;
  std::vector<std::int64_t> free_;
};

/// The documents' pieces of at most `length` tokens, in order, without a place.
/// @param most  tokens of a document; 0: all
std::vector<Piece> cut(const TokenFile& tokens, const std::vector<DocumentId>& documents, std::int64_t length,
                       std::int64_t most) {
  std::vector<Piece> pieces;
  for (const DocumentId id : documents) {
    const std::uint32_t has = tokens.document(id).tokens;
    const auto all = most == 0 ? has : static_cast<std::uint32_t>(std::min<std::int64_t>(most, has));
    for (std::uint32_t first = 0; first < all;) {
      const auto count = static_cast<std::uint32_t>(std::min<std::int64_t>(length, all - first));
      pieces.push_back({.document = id, .first = first, .count = count});
      first += count;
    }
  }
  return pieces;
}

/// Gives each piece row, column and segment, and sorts by them. @returns the number of rows
std::int64_t place(std::vector<Piece>& pieces, std::int64_t length) {
  struct Row {
    std::int64_t used = 0;
    std::int32_t segments = 0;
  };
  FirstFit fit(pieces.size(), length);
  std::vector<Row> rows;
  for (Piece& piece : pieces) {
    const std::size_t row = fit.place(piece.count);
    if (row == rows.size()) rows.emplace_back();
    piece.row = static_cast<std::int64_t>(row);
    piece.column = rows[row].used;
    piece.segment = rows[row].segments++;
    rows[row].used += piece.count;
  }
  std::ranges::stable_sort(pieces, {}, &Piece::row);
  return static_cast<std::int64_t>(rows.size());
}

}  // namespace

std::vector<EvaluationBatch> pack_for_evaluation(const TokenFile& tokens, const std::vector<DocumentId>& documents,
                                                 std::int64_t rows, std::int64_t length, std::int64_t prefix,
                                                 std::int64_t most) {
  check(rows > 0 && length > 0 && prefix >= 0, "a batch has rows, and rows have a length");
  std::vector<EvaluationBatch> batches;
  if (documents.empty()) return batches;
  std::vector<Piece> pieces = cut(tokens, documents, length, most);
  const std::int64_t all_rows = place(pieces, length);
  for (std::int64_t first = 0; first < all_rows; first += rows) {
    batches.push_back({empty_batch(std::min(rows, all_rows - first), length), {}});
  }
  for (Piece piece : pieces) {
    EvaluationBatch& to = batches[static_cast<std::size_t>(piece.row / rows)];
    piece.row %= rows;
    put_piece(to.batch, tokens, piece, prefix);
    to.pieces.push_back({piece.row, piece.segment, piece.document});
  }
  return batches;
}

std::vector<Batch> prefix_batches(const TokenFile& tokens, const std::vector<DocumentId>& documents, std::int64_t rows,
                                  std::int64_t prefix) {
  check(rows > 0 && prefix > 0, "a batch has rows, and a router sees some tokens");
  std::vector<Batch> batches;
  const auto all_rows = static_cast<std::int64_t>(documents.size());
  for (std::int64_t first = 0; first < all_rows; first += rows) {
    Batch& batch = batches.emplace_back(empty_batch(std::min(rows, all_rows - first), prefix));
    for (std::int64_t row = 0; row < batch.rows; ++row) {
      const DocumentId id = documents[static_cast<std::size_t>(first + row)];
      const auto count = static_cast<std::uint32_t>(std::min<std::int64_t>(prefix, tokens.document(id).tokens));
      // No target: all that a router sees lies in the prefix, and nothing is learned from it.
      put_piece(batch, tokens, {.document = id, .first = 0, .count = count, .row = row}, prefix + 1);
    }
  }
  return batches;
}

}  // namespace dipaco
