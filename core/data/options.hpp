#pragma once

#include <cstdint>
#include <string>

namespace dipaco {

/// Where text comes from and how it becomes tokens. Keys of [data].
struct DataOptions {
  std::string train{};       ///< files or patterns, comma-separated: .jsonl, .jsonl.gz, .txt; relative to the run file
  std::string validation{};  ///< empty: a share of the train documents, by their hash
  std::string tokenizer{};   ///< a SentencePiece model; empty: trained on `train` before it is split
  double validation_fraction = 0.05;      ///< of the documents, in [0, 1), where `validation` is empty
  double holdout_fraction = 0.02;         ///< of each shard's documents, in [0, 1), kept for early stopping (§2.7)
  std::int64_t validation_documents = 0;  ///< at most so many validation documents, the rest unused; 0: all
  std::int64_t charged_documents = 0;     ///< that evaluation and re-sharding are charged for; 0: what is learned
  std::int64_t charged_tokens = 512;      ///< of each of these
};

}  // namespace dipaco
