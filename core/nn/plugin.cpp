#include <memory>
#include <type_traits>

#include "core/nn/process.hpp"
#include "core/nn/torch_trainer.hpp"
#include "core/trainer/factory.hpp"

/// What load_trainer looks up by dipaco::kMakeTrainer.
extern "C" __attribute__((visibility("default"))) const dipaco::Trainer* dipaco_make_trainer(
    const dipaco::TrainerOptions& options) {
  dipaco::keep_freed_memory();
  return std::make_unique<dipaco::TorchTrainer>(options).release();
}

namespace dipaco {
static_assert(std::is_same_v<decltype(&dipaco_make_trainer), MakeTrainer>);
}  // namespace dipaco
