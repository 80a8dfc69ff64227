#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/token_file.hpp"

namespace dipaco {

struct MadeUpDocument {
  std::string text;
  std::string domain;
};

struct MadeUpTextOptions {
  std::int64_t documents = 60;
  std::int64_t domains = 3;  ///< documents take turns: d0, d1, d2, d0, ...; each domain has words of its own
  std::int64_t words = 120;  ///< of a document
  std::uint64_t seed = 1;
};

/// Sentences of made-up words, common ones more often, so that there is something to learn.
std::vector<MadeUpDocument> made_up_text(const MadeUpTextOptions& options);

/// JSON Lines with `text` and, unless it is empty, `domain`.
std::string to_jsonl(const std::vector<MadeUpDocument>& documents);

/// `text` as gzip.
void write_gzip(const std::filesystem::path& file, std::string_view text);

/// A token file of documents given as tokens; each token stands for one byte, and a document's hash is that of its
/// tokens.
std::shared_ptr<const TokenFile> made_up_tokens(const std::filesystem::path& file,
                                                const std::vector<std::vector<std::int32_t>>& documents,
                                                std::int64_t vocabulary, std::int64_t prefix);

}  // namespace dipaco
