#pragma once

#include <cstdint>
#include <string>

namespace dipaco {

/// The architecture of one path (paper §4; its 150M model is the default). Keys of [model].
struct ModelOptions {
  std::int64_t blocks = 12;          ///< transformer blocks
  std::int64_t hidden = 896;         ///< width of the residual stream
  std::int64_t heads = 16;           ///< of attention
  std::int64_t key_value_heads = 0;  ///< 0: as many as heads; fewer: grouped heads
  std::int64_t head_size = 64;       ///< need not be hidden / heads
  std::int64_t mlp = 0;  ///< width of the gated MLP; 0 (auto): as many parameters as a plain one of 4 x hidden
  std::int64_t vocabulary = 32000;  ///< tokens
  std::int64_t sequence = 1024;     ///< positions of a training row
  double rope_base = 10000.0;       ///< base of the rotary positions
  double norm_epsilon = 1e-5;       ///< added to the mean square in RMSNorm
};

/// How paths share modules. Keys of [topology].
struct TopologyOptions {
  std::string levels = "2x4";  ///< "AxB...", "flat:P", "shared:P" or the file name of a table
  std::string path_specific;   ///< "blocks:0,5,6,11;embedding": parts that each path has for itself (§2.6.1)
  std::int64_t regions = 1;    ///< that paths are dealt to, in blocks; outer.policy=hierarchical merges them
};

}  // namespace dipaco
