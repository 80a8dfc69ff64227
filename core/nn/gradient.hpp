#pragma once

#include <span>
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
/// one after the other. With ranks each of these has so many consecutive rows, adds up its micro-batches where they
/// lie, and the ranks' gradients are added in order: neither threads nor devices change a bit
/// (docs/decisions/0039-ranks.md).
class Gradient {
 public:
  struct Options {
    TransformerOptions transformer;
    Predicts predicts = Predicts::tokens;
    std::int64_t micro_batches = 1;  ///< at least: `rows` may ask for more
    int threads = 1;
    std::int64_t ranks = 1;
    std::span<const Place> others{};  ///< devices beside the transformer's, for ranks; of its kind
    std::int64_t rows = 0;            ///< most in a micro-batch; 0: any number
    bool recompute = false;           ///< see BlockChain
  };
  /// `parameters` [n] is read at every call of compute.
  /// @param table  as long as model.sequence, where the parameters lie
  Gradient(const Options& options, const at::Tensor& parameters, const PathLayout& layout, const RotaryTable& table);

  /// Mean loss in nats a position, a double where the parameters lie; sets value(). Waits for no GPU.
  /// REQUIRES a position in the loss.
  at::Tensor compute(const Batch& batch);
  const at::Tensor& value() const { return value_; }  ///< [n]

 private:
  /// What one thread works with, or one device.
  struct Replica {
    TransformerOptions transformer;
    RotaryTable table;
    at::Tensor parameters;  ///< [n] that `path` views: the caller's, or on another device a copy
    PathTensors path;
    PathTensors gradients;
    Head head;
    Head head_gradients;
    at::Tensor value;  ///< [n] that both gradients view
  };
  void add_replica(const PathLayout& layout, const RotaryTable& table, std::size_t number, bool adds_to_value);
  std::int64_t parts_of(const Batch& batch) const;
  /// Adds the gradient of `rows` times `scale` to that of the replica. Returns the sum of their losses.
  at::Tensor add_rows(Replica& replica, const Batch& rows, double scale) const;
  /// The same of a rank's rows, by micro-batches.
  at::Tensor add_rank(Replica& replica, const Batch& rows, double scale) const;
  /// Micro-batches or ranks by threads, each with a replica whose gradient value_ then takes.
  at::Tensor add_side_by_side(const Batch& batch, double scale);

  Options options_;
  at::Tensor parameters_;
  at::Tensor value_;
  std::vector<Replica> replicas_;
};

}  // namespace dipaco
