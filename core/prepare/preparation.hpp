#pragma once

#include "core/config/run_config.hpp"
#include "core/data/split.hpp"
#include "core/data/token_file.hpp"
#include "core/model/layout.hpp"
#include "core/prepare/prepared.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// What becomes of a file's tokens, or of some documents' routes, that are missing where a stage is made of them: they
/// are made, or other processes are to make them.
enum class Missing { made, refused };

/// What every stage works with; lives as long as one call of prepare().
struct Preparation {
  const RunConfig& config;
  const PathLayout& layout;  ///< the dense order
  const Trainer& trainer;    ///< made for it
  const PrepareOptions& options;
  Missing missing = Missing::made;

  /// Calls options.progress, where there is one, with PrepareProgress's members.
  void tell(std::string_view stage, std::int64_t done, std::int64_t total, std::optional<double> loss = {}) const {
    if (options.progress) options.progress({.stage = stage, .done = done, .total = total, .loss = loss});
  }
};

/// The token file and the uses of its documents.
struct Corpus {
  std::shared_ptr<const TokenFile> tokens;
  Splits splits;
  std::filesystem::path tokenizer;  ///< a file
  std::string tokenizer_hash;       ///< of its bytes
};

}  // namespace dipaco
