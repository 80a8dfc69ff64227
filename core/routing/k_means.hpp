#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/routing/parts.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

struct KMeansOptions {
  std::int32_t clusters = 0;  ///< k
  std::int64_t width = 0;     ///< d
  std::uint64_t seed = 1;
  int rounds = 100;                      ///< at most
  SideBySide side_by_side = one_by_one;  ///< changes no bit
};

/// Squared Euclidean distances [n, k] of points [n, d] to centroids [k, d] as |x|^2 - 2 x.c + |c|^2, never below 0.
std::vector<float> squared_distances(std::span<const float> points, std::span<const float> centroids,
                                     std::int64_t width, const Trainer& trainer);

/// k points [k, d] to start from: each is drawn with a chance in proportion to its squared distance from those chosen
/// before, the best of 2 + ln k draws (greedy k-means++; Choice: §2.4.1 names k-means, not its start).
/// REQUIRES at least one point.
std::vector<float> k_means_start(std::span<const float> points, const KMeansOptions& options, const Trainer& trainer);

/// Lloyd's rounds from `centroids` [k, d] until no point changes its cluster, or options.rounds. A cluster without a
/// point is seeded again with the point that lies farthest from its own centroid (Choice). @returns centroids [k, d];
/// a cluster stays where it was only if there are fewer different points than clusters.
std::vector<float> k_means_rounds(std::span<const float> points, std::vector<float> centroids,
                                  const KMeansOptions& options, const Trainer& trainer);

/// Both: centroids [k, d] of points [n, d]. REQUIRES at least one point.
std::vector<float> k_means(std::span<const float> points, const KMeansOptions& options, const Trainer& trainer);

}  // namespace dipaco
