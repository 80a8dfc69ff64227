#include "core/data/piece.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/base/error.hpp"

namespace dipaco {

Batch empty_batch(std::int64_t rows, std::int64_t length) {
  const auto size = static_cast<std::size_t>(rows * length);
  Batch batch;
  batch.rows = rows;
  batch.length = length;
  batch.tokens.assign(size, 0);
  batch.targets.assign(size, Batch::kNoTarget);
  batch.segments.assign(size, Batch::kPadding);
  batch.positions.assign(size, 0);
  return batch;
}

void put_piece(Batch& batch, const TokenFile& tokens, const Piece& piece, std::int64_t prefix) {
  check(piece.count > 0 && piece.column + piece.count <= batch.length, "a piece fits its row");
  const auto start = static_cast<std::size_t>(piece.row * batch.length + piece.column);
  const auto part = [&](std::vector<std::int32_t>& values) { return std::span(values).subspan(start, piece.count); };
  tokens.copy_tokens(piece.document, piece.first, part(batch.tokens));
  std::ranges::fill(part(batch.segments), piece.segment);
  const auto positions = part(batch.positions);
  std::iota(positions.begin(), positions.end(), 0);
  const std::uint32_t behind = piece.first + piece.count;
  const bool has_next = behind < tokens.document(piece.document).tokens;
  const auto targets = part(batch.targets);
  tokens.copy_tokens(piece.document, piece.first + 1, targets.first(piece.count - (has_next ? 0 : 1)));
  const auto in_prefix = std::clamp<std::int64_t>(prefix - piece.first - 1, 0, piece.count);
  std::ranges::fill(targets.first(static_cast<std::size_t>(in_prefix)), Batch::kNoTarget);
}

}  // namespace dipaco
