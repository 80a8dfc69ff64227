#include "core/data/tokenizer.hpp"

#include <sentencepiece_processor.h>

#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace dipaco {

struct Tokenizer::Implementation {
  sentencepiece::SentencePieceProcessor processor;
  std::int32_t end_of_document = 0;
};

Tokenizer::Tokenizer(const std::filesystem::path& model) : implementation_(std::make_unique<Implementation>()) {
  const std::string bytes = read_text(model);
  auto& processor = implementation_->processor;
  const auto status = processor.LoadFromSerializedProto(bytes);
  if (!status.ok() || processor.GetPieceSize() <= 0) {
    throw DataError(model.string() + ": not a SentencePiece model, or damaged (" + status.ToString() +
                    "); name another, or leave data.tokenizer out to train one");
  }
  implementation_->end_of_document = processor.eos_id();
  if (implementation_->end_of_document < 0) {
    throw DataError(model.string() +
                    ": the model has no end-of-sentence token, which ends documents here; name another");
  }
}

Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Encoded Tokenizer::encode(std::string_view text) const {
  const auto pieces = implementation_->processor.EncodeAsImmutableProto(text);
  Encoded encoded;
  encoded.tokens.reserve(pieces.pieces_size() + 1);
  encoded.ends.reserve(pieces.pieces_size() + 1);
  for (std::size_t i = 0; i < pieces.pieces_size(); ++i) {
    const auto piece = pieces.pieces(static_cast<int>(i));
    encoded.tokens.push_back(static_cast<std::int32_t>(piece.id()));
    encoded.ends.push_back(piece.end());
  }
  encoded.tokens.push_back(implementation_->end_of_document);
  encoded.ends.push_back(static_cast<std::uint32_t>(text.size()));
  return encoded;
}

std::string Tokenizer::decode(const std::vector<std::int32_t>& tokens) const {
  for (const std::int32_t token : tokens) {
    check(token >= 0 && token < vocabulary(), "a token to decode is one of the vocabulary");
  }
  return implementation_->processor.DecodeIds(tokens);
}

std::int64_t Tokenizer::vocabulary() const { return implementation_->processor.GetPieceSize(); }

}  // namespace dipaco
