#pragma once

#include "core/trainer/trainer.hpp"

namespace dipaco {

/// The one function that the trainer's shared object exports, and its name. The caller owns what it returns.
using MakeTrainer = const Trainer* (*)(const TrainerOptions&);
inline constexpr const char* kMakeTrainer = "dipaco_make_trainer";

}  // namespace dipaco
