#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace dipaco {

/// What works on a CPU's tensors.
enum class Kernels {
  own,     ///< loops that LibTorch has no fused form of; LibTorch's operators for the rest
  library  ///< LibTorch's operators alone, as on a GPU
};

/// The inner optimisation, AdamW (Alg. 1 lines 5-9; constants §4). Keys of [inner].
struct InnerOptions {
  std::int64_t steps = 150;        ///< tau: inner steps of one outer step
  std::int64_t batch = 512;        ///< rows of model.sequence tokens
  double learning_rate = 4e-4;     ///< peak
  double final_learning_rate = 0;  ///< where the cosine ends. Choice: 0
  std::int64_t warmup = 1000;      ///< inner steps of linear warmup, counted from the start of pretraining
  double weight_decay = 0.1;       ///< of AdamW, times the learning rate
  double beta1 = 0.9;              ///< Choice: the paper does not print AdamW's betas
  double beta2 = 0.95;
  double epsilon = 1e-8;
  double clip = 1.0;               ///< largest norm of a gradient; 0: no clipping. Choice
  std::string precision = "fp32";  ///< or bf16: autocast of the matrix products
  std::int64_t micro_batch = 0;    ///< most rows that go through the model at a time; 0: the whole batch. Changes bits
  std::int64_t ranks = 1;          ///< parts of a batch that devices of a worker share, added in order. Changes bits
  std::string memory;              ///< that a step may take of a device, "72GiB"; empty: it is not known
  bool dylu = false;               ///< `steps` are those of the fastest worker, others do as many as they can meanwhile
  bool recompute = false;          ///< keep each block's input alone and compute its inside again, backwards
};

/// Rows that go through a model together: at most, of a batch that is trained on; of those that are scored, so many.
constexpr std::int64_t rows_at_a_time(const InnerOptions& inner) {
  return inner.micro_batch > 0 ? std::min(inner.micro_batch, inner.batch) : inner.batch;
}

}  // namespace dipaco
