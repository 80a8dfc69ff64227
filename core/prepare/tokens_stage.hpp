#pragma once

#include <string>

#include "core/prepare/preparation.hpp"
#include "core/prepare/stage.hpp"

namespace dipaco {

/// Stage `tokens`: the corpus as tokens, and the tokenizer, loaded (data.tokenizer) or trained on it.
/// @throws ConfigError where no corpus is named or the tokenizer does not fit the model; DataError for the texts
Stage tokens_stage(const Preparation& preparation);

/// Its hash, made or not. Reads the texts, and makes nothing. @throws as tokens_stage() for files that are not there
std::string tokens_stage_hash(const RunConfig& config, const PrepareOptions& options);

/// Opens the stage's files and splits the documents.
/// @param router_minimum  documents that the router wants at least
/// @throws DataError where no document is left for training or validation
Corpus open_corpus(const Preparation& preparation, const Stage& stage, std::size_t router_minimum);

}  // namespace dipaco
