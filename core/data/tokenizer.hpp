#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// A document's tokens, and where in its text they end.
struct Encoded {
  std::vector<std::int32_t> tokens;  ///< the last one is the end-of-document token
  std::vector<std::uint32_t> ends;   ///< bytes of the text up to and with each token; never falling
};

/// A SentencePiece model (§4: vocabulary 32,000). Thread-safe.
class Tokenizer {
 public:
  /// @throws DataError if the file is no SentencePiece model or has no end-of-sentence token.
  explicit Tokenizer(const std::filesystem::path& model);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  Encoded encode(std::string_view text) const;
  std::string decode(const std::vector<std::int32_t>& tokens) const;
  std::int64_t vocabulary() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Trains a BPE model with byte fallback on `sample` documents; the same input gives the same bytes. Its tokens decode
/// to the text they were made of, byte for byte (but U+2581, SentencePiece's mark for a space, comes back as a space).
/// @throws ConfigError if the vocabulary is too small for bytes and characters, or too large for the text, saying how
///   large it may be.
void train_tokenizer(const std::vector<std::string>& sample, std::int64_t vocabulary,
                     const std::filesystem::path& model);

}  // namespace dipaco
