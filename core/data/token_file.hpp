#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.hpp"

namespace dipaco {

/// What is kept of each document beside its tokens.
struct DocumentRecord {
  std::uint64_t hash = 0;          ///< of its text: splits go by it, so that they never depend on order
  std::uint64_t first_token = 0;   ///< place in the file's tokens
  std::uint32_t tokens = 0;        ///< with the end-of-document token
  std::uint32_t bytes = 0;         ///< of its text
  std::uint32_t prefix_bytes = 0;  ///< of its text under the first `prefix` tokens
  std::uint16_t domain = 0;        ///< place in domains()
  std::uint16_t validation = 0;    ///< 1: from the validation files
};

class TokenFile;

/// Writes a token file document by document; `finish` makes it durable under its name. Until then the bytes lie in
/// `file`.part, which the destructor removes. Not thread-safe.
class TokenFileWriter {
 public:
  /// @param vocabulary  tokens are from 0 to below this
  /// @param prefix      first tokens of each document that choose its path
  /// @throws std::logic_error where one of them does not fit 31 bits
  TokenFileWriter(std::filesystem::path file, std::int64_t vocabulary, std::int64_t prefix);
  ~TokenFileWriter();
  /// REQUIRES `tokens` not empty, with the end-of-document token, and `ends` of the same length and ascending.
  /// @param ends   bytes of the text up to and with each token (Encoded::ends)
  /// @param hash   of the text: splits go by it
  /// @param bytes  of the text
  /// @throws DataError where there are more than 65,536 domains, or the disk does not take the bytes
  void add(std::span<const std::int32_t> tokens, std::span<const std::uint32_t> ends, std::uint64_t hash,
           std::uint32_t bytes, std::string_view domain, bool validation);
  /// All documents of another file, behind those that are here, as validation documents or not.
  /// REQUIRES that its vocabulary and prefix are these. @throws DataError as add()
  void append(const TokenFile& other, bool validation);
  /// REQUIRES that it is called once, last. @throws DataError where the disk does not take the bytes
  void finish();

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Documents as tokens, memory-mapped, boundaries kept. Format: docs/file-formats.md. Thread-safe.
class TokenFile {
 public:
  /// Reads the whole file once, to check it. @throws DataError naming the offset: truncated, damaged (checksum),
  /// another version, tokens outside the vocabulary; or the system's reason, where it cannot be opened.
  static TokenFile open(const std::filesystem::path& file);
  TokenFile(TokenFile&&) noexcept;
  TokenFile& operator=(TokenFile&&) noexcept;
  ~TokenFile();

  /// All documents, in the order of the text: a document's place is its id.
  std::span<const DocumentRecord> documents() const;
  /// REQUIRES that it is there.
  const DocumentRecord& document(DocumentId id) const { return documents()[index(id)]; }
  /// Copies tokens [first, first + out.size()) of the document. @throws std::logic_error where it has no such tokens
  void copy_tokens(DocumentId id, std::uint32_t first, std::span<std::int32_t> out) const;
  /// Tokens are from 0 to below this.
  std::int64_t vocabulary() const;
  /// First tokens of each document, which choose its path and are out of the loss (§2.4).
  std::int64_t prefix() const;
  /// The names that DocumentRecord::domain counts.
  const std::vector<std::string>& domains() const;

 private:
  struct Implementation;
  explicit TokenFile(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dipaco
