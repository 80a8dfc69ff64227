#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/data/token_file.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// Loss over documents, the first `prefix` tokens of each left out (§2.4). Adds exactly over disjoint documents only
/// if added in a fixed order: floating-point sums are kept per path and added by path.
struct Score {
  double nats = 0;          ///< negative log-likelihood, summed over the tokens in the loss
  std::int64_t tokens = 0;  ///< in the loss
  std::int64_t bytes = 0;   ///< of text under those tokens
  std::int64_t documents = 0;

  Score& operator+=(const Score& other);
  double perplexity() const;  ///< exp(nats / tokens). REQUIRES tokens > 0
  /// nats / ln 2 / bytes; nullopt where no byte is under the tokens: only ends of documents are scored.
  std::optional<double> bits_per_byte() const;
};

/// How documents are read to be scored.
struct ScoreOptions {
  std::int64_t rows = 16;     ///< of an evaluation batch
  std::int64_t sequence = 0;  ///< positions of a row
  std::int64_t prefix = 32;   ///< of each document's first tokens, out of the loss as targets (§2.4)
  std::int64_t most = 0;      ///< of a document are read, its prefix among them, and the next one is foretold; 0: all
  int threads = 1;            ///< batches scored at a time; changes no bit
};

/// What documents came to, together and each.
struct DocumentScores {
  Score total;               ///< summed batch by batch
  std::vector<double> nats;  ///< [documents] of each, in the given order
};

/// Scores `documents` under `parameters`: each is in the loss from the token behind its prefix to its end.
/// REQUIRES that the token file was written for the prefix of `options`, and that it leaves no token out (`most`): a
/// std::logic_error otherwise.
/// @param parameters  [n] in the trainer's order
/// @throws DataError where a loss is not finite, naming the document.
DocumentScores score_documents(const Trainer& trainer, std::span<const float> parameters, const TokenFile& tokens,
                               const std::vector<DocumentId>& documents, const ScoreOptions& options);

/// The nats of each, [documents], also where options.most leaves tokens out. A document's sum does not depend on the
/// others. Throws as score_documents does.
std::vector<double> score_each_document(const Trainer& trainer, std::span<const float> parameters,
                                        const TokenFile& tokens, const std::vector<DocumentId>& documents,
                                        const ScoreOptions& options);

}  // namespace dipaco
