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
struct Epoch {
  std::uint64_t number = 0;
  std::vector<std::uint32_t> order;  ///< [n] places in the shard
  std::vector<std::uint64_t> ends;   ///< [n] tokens up to and with each document, in that order
};

}  // namespace

// The shard's stream is its epochs end to end, each with an order of its own; row r holds tokens [r, r + 1) * length.
struct ShardReader::Implementation {
  std::shared_ptr<const TokenFile> tokens;
  std::vector<DocumentId> documents;
  ReaderOptions options;
  std::uint64_t epoch_tokens = 0;
  /// The epoch used last. Made anew where another is asked for, so that who reads what when changes no batch.
  mutable std::atomic<std::shared_ptr<const Epoch>> recent;

  std::shared_ptr<const Epoch> epoch(std::uint64_t number) const;
  void fill_row(Batch& batch, std::int64_t row, std::uint64_t stream_row, std::shared_ptr<const Epoch>& current) const;
};

std::shared_ptr<const Epoch> ShardReader::Implementation::epoch(std::uint64_t number) const {
  if (auto kept = recent.load(); kept && kept->number == number) return kept;
  auto made = std::make_shared<Epoch>();
  made->number = number;
  made->order.resize(documents.size());
  std::iota(made->order.begin(), made->order.end(), 0U);
  shuffle(made->order, options.seed, Draw::shuffle, draw_bits(options.seed, Draw::shuffle, options.stream, number));
  made->ends.reserve(documents.size());
  std::uint64_t end = 0;
  for (const std::uint32_t place : made->order) made->ends.push_back(end += tokens->document(documents[place]).tokens);
  recent.store(made);
  return made;
}

void ShardReader::Implementation::fill_row(Batch& batch, std::int64_t row, std::uint64_t stream_row,
                                           std::shared_ptr<const Epoch>& current) const {
  std::uint64_t at = stream_row * static_cast<std::uint64_t>(batch.length);
  Piece piece{.row = row};
  while (piece.column < batch.length) {
    const std::uint64_t number = at / epoch_tokens;
    const std::uint64_t within = at % epoch_tokens;
    if (!current || current->number != number) current = epoch(number);
    const auto end = std::ranges::upper_bound(current->ends, within);
    piece.document = documents[current->order[static_cast<std::size_t>(end - current->ends.begin())]];
    const std::uint64_t left = *end - within;
    piece.first = static_cast<std::uint32_t>(tokens->document(piece.document).tokens - left);
    piece.count = static_cast<std::uint32_t>(std::min(left, static_cast<std::uint64_t>(batch.length - piece.column)));
    put_piece(batch, *tokens, piece, options.prefix);
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
  if (has_target) return;
  throw DataError("shard " + std::to_string(options.stream) + ": none of its " + std::to_string(self.documents.size()) +
                  " documents has a token to learn behind the prefix of " + std::to_string(options.prefix) +
                  "; use fewer paths or more text");
}

ShardReader::~ShardReader() = default;
ShardReader::ShardReader(ShardReader&&) noexcept = default;
ShardReader& ShardReader::operator=(ShardReader&&) noexcept = default;

Batch ShardReader::batch(InnerSteps step) const {
  check(step.value >= 0, "inner steps count from 0");
  const Implementation& self = *implementation_;
  Batch batch = empty_batch(self.options.rows, self.options.length);
  const std::uint64_t first = static_cast<std::uint64_t>(step.value) * static_cast<std::uint64_t>(batch.rows);
  std::shared_ptr<const Epoch> current;
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    self.fill_row(batch, row, first + static_cast<std::uint64_t>(row), current);
  }
  return batch;
}

std::int64_t ShardReader::rows_per_epoch() const {
  const auto length = static_cast<std::uint64_t>(implementation_->options.length);
  return static_cast<std::int64_t>((implementation_->epoch_tokens + length - 1) / length);
}

}  // namespace dipaco
