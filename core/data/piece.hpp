#pragma once

#include <cstdint>

#include "core/base/ids.hpp"
#include "core/data/batch.hpp"
#include "core/data/token_file.hpp"

namespace dipaco {

/// Some consecutive tokens of one document, and their place in a batch.
struct Piece {
  DocumentId document{};
  std::uint32_t first = 0;  ///< token of the document
  std::uint32_t count = 0;  ///< tokens, at least 1
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int32_t segment = 0;
};

/// A batch [rows, length] that is all padding, without a target. Tokens and positions are 0.
Batch empty_batch(std::int64_t rows, std::int64_t length);

/// Writes a piece into a batch. Position j holds the document's token first + j; its target is token first + j + 1,
/// where the document has one and its place in the document is at least `prefix` (§2.4: the prefix is out of the loss).
/// @throws std::logic_error where the piece is empty, or lies outside its row or its document
void put_piece(Batch& batch, const TokenFile& tokens, const Piece& piece, std::int64_t prefix);

}  // namespace dipaco
