#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/options.hpp"
#include "core/model/topology.hpp"

namespace dipaco {

/// One tensor inside a flat vector of floats. Names and shapes are those of LlamaForCausalLM.
struct TensorSlot {
  std::string name;                 ///< "model.layers.3.mlp.up_proj.weight"
  std::vector<std::int64_t> shape;  ///< [out, in] for a matrix, row-major
  std::size_t offset = 0;           ///< floats from the start of the flat vector
  std::size_t size = 0;             ///< floats
};

/// Where one level lies in a path's flat vector: its module's vector is exactly this part.
struct LevelSlice {
  std::size_t offset = 0;  ///< floats from the start of the path's vector
  std::size_t size = 0;    ///< floats
};

/// How a path's parameters lie in one flat vector [n]: level after level, so that gather and scatter are copies.
/// The same for every path, as modules of a level are of one shape.
struct PathLayout {
  std::vector<TensorSlot> slots;   ///< by offset
  std::vector<LevelSlice> levels;  ///< [L]
  std::size_t size = 0;            ///< n, floats

  /// The module's floats within a path's vector [n]: a view, not a copy. REQUIRES 0 <= level < L.
  std::span<float> part(std::span<float> path, std::int32_t level) const {
    const LevelSlice& slice = levels[static_cast<std::size_t>(level)];
    return path.subspan(slice.offset, slice.size);
  }
  std::span<const float> part(std::span<const float> path, std::int32_t level) const {
    const LevelSlice& slice = levels[static_cast<std::size_t>(level)];
    return path.subspan(slice.offset, slice.size);
  }
};

/// The gated MLP's width: model.mlp, or for auto the multiple of 8 nearest to 8/3 x hidden, which has the
/// parameters of the paper's plain MLP of 4 x hidden within 1 % from hidden 384 on.
std::int64_t mlp_width(const ModelOptions& model);
/// Heads of keys and values: model.key_value_heads, or for 0 as many as heads.
std::int64_t key_value_heads(const ModelOptions& model);

/// The layout of a path of this model under this topology.
/// @throws ConfigError where a size is below 1 or the shapes do not fit one another (heads not a multiple of
///         key_value_heads, odd head size).
PathLayout make_layout(const ModelOptions& model, const Topology& topology);

/// Floating-point operations of one inner step on `tokens` tokens in rows of model.sequence, forward and backward:
/// 3 x (2 x matrix parameters with the head + attention) x tokens (docs/cost-model.md).
double inner_step_flops(const ModelOptions& model, std::int64_t tokens);
/// What a step costs more that computes the inside of each block again on its way back (inner.recompute): all blocks
/// once more, forward. No part of what mfu counts.
double recompute_flops(const ModelOptions& model, std::int64_t tokens);

/// The random start of pretraining [n]: normal with deviation 0.02, the projections into the residual stream smaller
/// by sqrt(2 x blocks), norms 1. A function of each tensor's name and the seed: no topology changes it.
std::vector<float> initial_parameters(const PathLayout& layout, const ModelOptions& model, std::uint64_t seed);

}  // namespace dipaco
