#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dipaco {

/// Euclidean norm of a module's parameters: the Frobenius norm of its tensors together. Summed in doubles, in order.
double norm(std::span<const float> values);

/// Norm of a - b. REQUIRES equal sizes.
double distance(std::span<const float> a, std::span<const float> b);

/// How far the experts of one level lie from their common start, and from one another.
struct LevelDistances {
  double start_norm = 0;
  std::vector<double> norms;                 ///< [experts]
  std::vector<double> from_start;            ///< [experts]
  std::vector<std::vector<double>> between;  ///< [experts][experts], symmetric
};

/// @param start    the dense start's part of the level [n]
/// @param experts  each [n]
/// @param threads  change no bit
LevelDistances level_distances(std::span<const float> start, std::span<const std::vector<float>> experts,
                               int threads = 1);

}  // namespace dipaco
