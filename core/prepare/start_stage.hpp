#pragma once

#include "core/prepare/preparation.hpp"
#include "core/prepare/stage.hpp"

namespace dipaco {

/// Stage `start`: the dense model that starts every path (Alg. 1, theta_bar; §4), trained here or taken from
/// pretrain.from. It lies in the file tensor by tensor, in no topology's order.
/// @throws ConfigError where pretrain.from has done another number of steps; DataError where it is another model's
Stage start_stage(const Preparation& preparation, const Stage& tokens, const Corpus& corpus);

/// The stage's start in the dense order.
TrainState open_start(const Preparation& preparation, const Stage& stage);

}  // namespace dipaco
