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
/// gradients are made side by side and added in order, so that the number of threads changes no bit.
class Gradient {
 public:
  struct Options {
    TransformerOptions transformer;
    Predicts predicts = Predicts::tokens;
    std::int64_t micro_batches = 1;
    int threads = 1;
  };
  /// `parameters` [n] is read at every call of compute.
  Gradient(const Options& options, const at::Tensor& parameters, const PathLayout& layout);

  /// Mean loss in nats a position; sets value(). REQUIRES a position in the loss.
  double compute(const Batch& batch, const RotaryTable& table);
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
  double add_rows(Replica& replica, const Batch& rows, const RotaryTable& table, double scale) const;

  Options options_;
  at::Tensor value_;
  std::vector<Replica> replicas_;
};

}  // namespace dipaco
