#pragma once

#include <filesystem>
#include <string>

#include "core/prepare/corpus_files.hpp"
#include "core/prepare/file_tokens.hpp"
#include "core/prepare/preparation.hpp"
#include "core/prepare/stage.hpp"

namespace dipaco {

/// Stage `tokens`: the corpus as tokens, and the tokenizer, loaded (data.tokenizer) or trained on it. Made of the
/// tokens of each file, which go once it is there.
/// @throws ConfigError where the tokenizer does not fit the model; DataError for the texts, and for a file whose tokens
/// are missing where Preparation::missing refuses that
Stage tokens_stage(const Preparation& preparation, const CorpusFiles& files);

StageRequest tokens_request(const RunConfig& config, const PrepareOptions& options, const CorpusFiles& files);

/// Its hash, made or not. Reads the texts, and makes nothing. @throws as find_corpus()
std::string tokens_stage_hash(const RunConfig& config, const PrepareOptions& options);

/// The tokenizer's file: the run file's own, or that of a stage, which is made where it is missing.
std::filesystem::path tokenizer_of(const Preparation& preparation, const CorpusFiles& files);

/// Opens the stage's files and splits the documents.
/// @param router_minimum  documents that the router wants at least
/// @throws DataError where no document is left for training or validation
Corpus open_corpus(const Preparation& preparation, const Stage& stage, std::size_t router_minimum);

}  // namespace dipaco
