#pragma once

#include <vector>

#include "core/nn/transformer.hpp"

namespace dipaco {

/// A path's blocks there and back. What lies between is kept for the way back, or, with `recompute`, each block's input
/// alone: its inside is then computed again when the gradient comes (Chen et al., arXiv 1604.06174), to the same bits.
class BlockChain {
 public:
  /// Views what it is given, which must outlive it.
  BlockChain(const TransformerOptions& options, const PathTensors& path, const BatchTensors& batch, bool recompute)
      : options_(options), path_(path), batch_(batch), recompute_(recompute) {}

  /// x [positions, hidden] to the last block's output, cut off from what came before: a leaf that collects a gradient.
  at::Tensor forward(at::Tensor x);

  /// The gradient of x from that of the output. Adds those of the parameters to where the path collects them. Once.
  at::Tensor backward(at::Tensor gradient);

 private:
  /// Blocks whose inside is kept or computed again together.
  struct Part {
    std::size_t first = 0;
    std::size_t count = 0;
    at::Tensor input;   ///< a leaf
    at::Tensor output;  ///< undefined: compute it again
  };
  at::Tensor run(const Part& part) const;

  const TransformerOptions& options_;
  const PathTensors& path_;
  const BatchTensors& batch_;
  bool recompute_;
  std::vector<Part> parts_;
};

}  // namespace dipaco
