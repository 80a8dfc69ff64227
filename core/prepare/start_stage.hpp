#pragma once

#include <filesystem>
#include <string>

#include "core/prepare/preparation.hpp"
#include "core/prepare/stage.hpp"

namespace dipaco {

/// Stage `start`: the dense model that starts every path (Alg. 1, theta_bar; §4), trained here or taken from
/// pretrain.from. It lies in the file tensor by tensor, in no topology's order.
/// @throws ConfigError where pretrain.from has done another number of steps; DataError where it is another model's,
///   or has learned from the same text, split otherwise
Stage start_stage(const Preparation& preparation, const Stage& tokens, const Corpus& corpus);

/// What it is looked up by in the cache. @param tokens_hash  of the stage `tokens`
StageRequest start_request(const RunConfig& config, const PrepareOptions& options, const std::string& tokens_hash);

std::filesystem::path start_file(const Stage& stage);

/// A start's file that was made elsewhere.
struct StartFile {
  std::filesystem::path file;
  std::string source;          ///< its name in errors
  std::string tokenizer_hash;  ///< of the tokenizer that it has to have learned with
  std::string remedy;          ///< where it does not fit; "": what to set in the run file
};

/// @throws as start_stage with pretrain.from
TrainState read_start_file(const RunConfig& config, const PathLayout& dense_order, const StartFile& given);

/// The stage's start in the dense order.
TrainState open_start(const Preparation& preparation, const Stage& stage);

}  // namespace dipaco
