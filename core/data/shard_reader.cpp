#include "core/data/shard_reader.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/data/piece.hpp"

namespace dipaco {
namespace {

/// One pass over a shard's documents.
struct ShardEpoch {
  std::uint64_t number = 0;
  std::vector<std::uint32_t> order;  ///< [n] places in the shard
  std::vector<std::uint64_t> ends;   ///< [n] tokens up to and with each document, in that order
  std::vector<std::uint32_t> rows;   ///< in the order in which they come; row r holds tokens [r, r + 1) * length
};

}  // namespace

struct ShardReader::Implementation {
  std::shared_ptr<const TokenFile> tokens;
  std::vector<DocumentId> documents;
  ReaderOptions options;
  std::uint64_t epoch_tokens = 0;
  std::uint64_t epoch_rows = 0;
  /// The epoch used last. Made anew where another is asked for, so that who reads what when changes no batch.
  mutable std::atomic<std::shared_ptr<const ShardEpoch>> recent;

  std::shared_ptr<const ShardEpoch> epoch(std::uint64_t number) const;
  /// Adds the pieces of a row of the epoch as row `row`.
  void add_row(std::vector<Piece>& pieces, std::int64_t row, const ShardEpoch& from, std::uint32_t epoch_row) const;
};

std::shared_ptr<const ShardEpoch> ShardReader::Implementation::epoch(std::uint64_t number) const {
  if (auto kept = recent.load(); kept && kept->number == number) return kept;
  auto made = std::make_shared<ShardEpoch>();
  made->number = number;
  made->order.resize(documents.size());
  std::iota(made->order.begin(), made->order.end(), 0U);
  shuffle(made->order, options.seed, Draw::shuffle, draw_bits(options.seed, Draw::shuffle, options.stream, number));
  made->rows.resize(epoch_rows);
  std::iota(made->rows.begin(), made->rows.end(), 0U);
  shuffle(made->rows, options.seed, Draw::row_order, draw_bits(options.seed, Draw::row_order, options.stream, number));
  made->ends.reserve(documents.size());
  std::uint64_t end = 0;
  for (const std::uint32_t place : made->order) made->ends.push_back(end += tokens->document(documents[place]).tokens);
  recent.store(made);
  return made;
}

void ShardReader::Implementation::add_row(std::vector<Piece>& pieces, std::int64_t row, const ShardEpoch& from,
                                          std::uint32_t epoch_row) const {
  std::uint64_t at = std::uint64_t{epoch_row} * static_cast<std::uint64_t>(options.length);
  Piece piece{.row = row};
  while (piece.column < options.length) {
    if (at >= epoch_tokens) at -= epoch_tokens;
    const auto end = std::ranges::upper_bound(from.ends, at);
    piece.document = documents[from.order[static_cast<std::size_t>(end - from.ends.begin())]];
    const std::uint64_t left = *end - at;
    piece.first = static_cast<std::uint32_t>(tokens->document(piece.document).tokens - left);
    piece.count = static_cast<std::uint32_t>(std::min(left, static_cast<std::uint64_t>(options.length - piece.column)));
    pieces.push_back(piece);
    piece.column += piece.count;
    ++piece.segment;
    at += piece.count;
  }
}

ShardReader::ShardReader(std::shared_ptr<const TokenFile> tokens, std::vector<DocumentId> documents,
                         const ReaderOptions& options)
    : implementation_(std::make_unique<Implementation>()) {
  check(options.rows > 0 && options.length > 0 && options.prefix >= 0, "a batch has rows, and rows have a length");
  Implementation& self = *implementation_;
  self.tokens = std::move(tokens);
  self.documents = std::move(documents);
  self.options = options;
  bool has_target = false;
  for (const DocumentId id : self.documents) {
    check(index(id) < self.tokens->documents().size(), "a shard's document is in the token file");
    const std::uint32_t count = self.tokens->document(id).tokens;
    self.epoch_tokens += count;
    has_target |= count > 1 && count > options.prefix;
  }
  const auto row = static_cast<std::uint64_t>(options.length);
  self.epoch_rows = (self.epoch_tokens + row - 1) / row;
  if (has_target) return;
  throw DataError(options.name + ": none of its " + std::to_string(self.documents.size()) +
                  " documents has a token to learn behind the prefix of " + std::to_string(options.prefix) +
                  "; use fewer paths or more text");
}

ShardReader::~ShardReader() = default;
ShardReader::ShardReader(ShardReader&&) noexcept = default;
ShardReader& ShardReader::operator=(ShardReader&&) noexcept = default;

std::vector<Piece> ShardReader::pieces(InnerSteps step) const {
  check(step.value >= 0, "inner steps count from 0");
  const Implementation& self = *implementation_;
  const std::int64_t rows = self.options.rows;
  std::vector<Piece> pieces;
  std::shared_ptr<const ShardEpoch> current;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto at = static_cast<std::uint64_t>(step.value * rows + row);
    const std::uint64_t number = at / self.epoch_rows;
    if (!current || current->number != number) current = self.epoch(number);
    self.add_row(pieces, row, *current, current->rows[static_cast<std::size_t>(at % self.epoch_rows)]);
  }
  return pieces;
}

Batch ShardReader::batch(InnerSteps step) const {
  const Implementation& self = *implementation_;
  Batch batch = empty_batch(self.options.rows, self.options.length);
  for (const Piece& piece : pieces(step)) put_piece(batch, *self.tokens, piece, self.options.prefix);
  return batch;
}

std::int64_t ShardReader::rows_per_epoch() const { return static_cast<std::int64_t>(implementation_->epoch_rows); }

}  // namespace dipaco
