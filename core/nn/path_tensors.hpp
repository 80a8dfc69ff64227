#pragma once

#include <vector>

#include "core/model/layout.hpp"
#include "core/model/options.hpp"
#include "core/nn/torch.hpp"

namespace dipaco {

/// A block's parameters; matrices that multiply the same input lie one after the other and are one tensor.
struct BlockTensors {
  at::Tensor attention_norm;  ///< [hidden]
  at::Tensor qkv;             ///< [(heads + 2 key_value_heads) * head_size, hidden]
  at::Tensor output;          ///< [hidden, heads * head_size]
  at::Tensor mlp_norm;        ///< [hidden]
  at::Tensor gate_up;         ///< [2 width, hidden]
  at::Tensor down;            ///< [hidden, width]
};

/// A path's flat vector [n] seen as tensors: views, no copies.
struct PathTensors {
  PathTensors(const at::Tensor& flat, const PathLayout& layout, const ModelOptions& model);

  std::vector<BlockTensors> blocks;
  at::Tensor final_norm;  ///< [hidden]
  at::Tensor embedding;   ///< [vocabulary, hidden]: also the head
};

/// Lets autograd add the gradients of all but the embedding to the views `gradients`.
void collect_gradients(PathTensors& tensors, const PathTensors& gradients);

}  // namespace dipaco
