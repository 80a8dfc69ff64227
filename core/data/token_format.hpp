#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/data/token_file.hpp"

namespace dipaco {

// The token file as it lies on disk, little-endian (docs/file-formats.md, "Token file"):
//   TokenFileHead | tokens | zeros to a multiple of 8 | DocumentRecord x documents | domain names | TokenFileFoot
// The sizes stand at the end, so that a writer needs to keep no token in memory.

inline constexpr char kTokenFileMagic[8] = {'D', 'I', 'P', 'A', 'T', 'O', 'K', 'S'};
inline constexpr std::uint32_t kTokenFileVersion = 1;
inline constexpr std::uint64_t kLargestShortVocabulary = 65536;  ///< up to here a token takes two bytes
inline constexpr std::uint64_t kLargestVocabulary = 0x7FFFFFFF;
inline constexpr std::uint64_t kMostDocuments = 0xFFFFFFFF;  ///< a DocumentId has 32 bits

struct TokenFileHead {
  char magic[8];
  std::uint32_t version;
  std::uint32_t token_bytes;  ///< 2 or 4
  std::uint64_t vocabulary;
  std::uint64_t prefix;
};

struct TokenFileFoot {
  std::uint64_t tokens;
  std::uint64_t documents;
  std::uint64_t domain_bytes;
  std::uint64_t checksum;  ///< XXH3 of everything before it
};

static_assert(sizeof(TokenFileHead) == 32 && sizeof(TokenFileFoot) == 32 && sizeof(DocumentRecord) == 32);
static_assert(std::is_trivially_copyable_v<DocumentRecord>);

constexpr std::uint32_t bytes_of_a_token(std::uint64_t vocabulary) {
  return vocabulary <= kLargestShortVocabulary ? 2 : 4;
}

/// Zeros between the tokens and the records.
constexpr std::uint64_t padding_behind(std::uint64_t bytes) { return (8 - bytes % 8) % 8; }

}  // namespace dipaco
