#pragma once

#include <vector>

#include "core/nn/head.hpp"
#include "core/nn/path_tensors.hpp"
#include "core/nn/torch.hpp"
#include "core/nn/transformer.hpp"

namespace dipaco {

/// What a model's targets are, and with that where its head lies.
enum class Predicts {
  tokens,  ///< a path's LM: the head is the transposed embedding
  paths,   ///< a transformer router: the head lies behind the path's parameters
};

/// The gradient of a batch's mean loss over its positions in the loss, by micro-batches: consecutive rows whose
/// gradients are made side by side and added in order, so that the number of threads changes no bit. A GPU makes them
/// one after the other.
class Gradient {
 public:
  struct Options {
    TransformerOptions transformer;
    Predicts predicts = Predicts::tokens;
    std::int64_t micro_batches = 1;  ///< at least: `rows` may ask for more
    int threads = 1;
    std::int64_t rows = 0;   ///< most in a micro-batch; 0: any number
    bool recompute = false;  ///< see BlockChain
  };
  /// `parameters` [n] is read at every call of compute.
  Gradient(const Options& options, const at::Tensor& parameters, const PathLayout& layout);

  /// Mean loss in nats a position, a double where the parameters lie; sets value(). Waits for no GPU.
  /// REQUIRES a position in the loss.
  at::Tensor compute(const Batch& batch, const RotaryTable& table);
  const at::Tensor& value() const { return value_; }  ///< [n]

 private:
  /// What one thread works with.
  struct Replica {
    PathTensors path;
    PathTensors gradients;
    Head head;
    Head head_gradients;
    at::Tensor value;  ///< [n] that both gradients view
  };
  std::int64_t parts_of(const Batch& batch) const;
  /// Adds the gradient of `rows` times `scale` to that of the replica. Returns the sum of their losses.
  at::Tensor add_rows(Replica& replica, const Batch& rows, const RotaryTable& table, double scale) const;
  /// Micro-batches by threads, each with a replica whose gradient value_ then takes.
  at::Tensor add_side_by_side(const Batch& batch, const RotaryTable& table, double scale);

  Options options_;
  at::Tensor value_;
  std::vector<Replica> replicas_;
};

}  // namespace dipaco
