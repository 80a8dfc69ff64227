#include "core/routing/k_means.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace dipaco {
namespace {

std::span<const float> row(std::span<const float> matrix, std::size_t i, std::size_t width) {
  return matrix.subspan(i * width, width);
}

double squared_norm(std::span<const float> x) {
  double sum = 0;
  for (const float value : x) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum;
}

/// The squared norm of each row of a matrix [n, width].
std::vector<double> squared_norms(std::span<const float> matrix, std::size_t width) {
  std::vector<double> norms(matrix.size() / width);
  for (std::size_t i = 0; i < norms.size(); ++i) norms[i] = squared_norm(row(matrix, i, width));
  return norms;
}

/// Points [n, width] with their squared norms [n]: k-means reads them once for each cluster, and more often.
struct Points {
  std::span<const float> values;
  std::vector<double> norms;
  std::size_t width = 0;

  Points(std::span<const float> points, std::size_t columns)
      : values(points), norms(squared_norms(points, columns)), width(columns) {}

  std::span<const float> operator[](std::size_t i) const { return row(values, i, width); }
  std::size_t count() const { return norms.size(); }
};

/// As squared_distances, with the norms of the points [n] and of the centroids [k].
std::vector<float> distances_by_norms(std::span<const float> points, std::span<const double> point_norms,
                                      std::span<const float> centroids, std::span<const double> centroid_norms,
                                      const Trainer& trainer) {
  const std::size_t n = point_norms.size();
  const std::size_t k = centroid_norms.size();
  std::vector<float> out = trainer.product(points, centroids,
                                           {.n = static_cast<std::int64_t>(n),
                                            .k = static_cast<std::int64_t>(k),
                                            .d = static_cast<std::int64_t>(centroids.size() / k)});
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < k; ++c) {
      float& product = out[i * k + c];
      const double distance = point_norms[i] - 2 * static_cast<double>(product) + centroid_norms[c];
      // A product that overflowed tells nothing: its distance is not a number, and no least one.
      product = std::isfinite(product) ? static_cast<float>(std::max(0.0, distance)) : std::nanf("");
    }
  }
  return out;
}

/// Squared distances [m, k] of some of the points to centroids with their norms.
std::vector<float> distances_of(const Points& points, const DocumentPart& part, std::span<const float> centroids,
                                std::span<const double> norms, const Trainer& trainer) {
  return distances_by_norms(points.values.subspan(part.first * points.width, part.count * points.width),
                            std::span(points.norms).subspan(part.first, part.count), centroids, norms, trainer);
}

/// Calls visit(point, distances [k]) for every point, in order.
template <class Visit>
void for_each_point(const Points& points, std::span<const float> centroids, const SideBySide& side_by_side,
                    const Trainer& trainer, Visit visit) {
  const std::vector<double> norms = squared_norms(centroids, points.width);
  std::size_t point = 0;
  const auto work = [&](const DocumentPart& part) { return distances_of(points, part, centroids, norms, trainer); };
  for_each_document_part(points.count(), side_by_side, work, [&](const std::vector<float>& distances) {
    for (std::size_t i = 0; i < distances.size(); i += norms.size()) {
      visit(point++, std::span(distances).subspan(i, norms.size()));
    }
  });
}

/// Each point's nearest centroid and its squared distance to it.
struct Assignment {
  std::vector<std::size_t> cluster;
  std::vector<double> distance;
};

/// The least of each row of distances [m, k].
Assignment nearest_of(std::span<const float> distances, std::size_t clusters) {
  Assignment some;
  for (; !distances.empty(); distances = distances.subspan(clusters)) {
    const auto own = distances.first(clusters);
    const auto nearest = std::min_element(own.begin(), own.end());
    some.cluster.push_back(static_cast<std::size_t>(nearest - own.begin()));
    some.distance.push_back(*nearest);
  }
  return some;
}

Assignment assign(const Points& points, std::span<const float> centroids, const SideBySide& side_by_side,
                  const Trainer& trainer) {
  const std::vector<double> norms = squared_norms(centroids, points.width);
  Assignment all;
  all.cluster.reserve(points.count());
  all.distance.reserve(points.count());
  const auto work = [&](const DocumentPart& part) {
    return nearest_of(distances_of(points, part, centroids, norms, trainer), norms.size());
  };
  for_each_document_part(points.count(), side_by_side, work, [&](const Assignment& some) {
    all.cluster.insert(all.cluster.end(), some.cluster.begin(), some.cluster.end());
    all.distance.insert(all.distance.end(), some.distance.begin(), some.distance.end());
  });
  return all;
}

/// Gives each empty cluster the farthest point of a cluster that has others.
void fill_empty(Assignment& assignment, std::size_t clusters) {
  std::vector<std::size_t> members(clusters);
  for (const std::size_t cluster : assignment.cluster) ++members[cluster];
  for (std::size_t empty = 0; empty < clusters; ++empty) {
    if (members[empty] > 0) continue;
    std::size_t farthest = assignment.cluster.size();
    double distance = 0;
    for (std::size_t i = 0; i < assignment.cluster.size(); ++i) {
      if (assignment.distance[i] > distance && members[assignment.cluster[i]] > 1) {
        farthest = i;
        distance = assignment.distance[i];
      }
    }
    if (farthest == assignment.cluster.size()) return;  // every point lies on its centroid
    --members[assignment.cluster[farthest]];
    ++members[empty];
    assignment.cluster[farthest] = empty;
    assignment.distance[farthest] = 0;
  }
}

/// Makes centroids [m, d], those of clusters `first` and on, their clusters' means; an empty one stays where it is.
void move_some(std::span<float> centroids, std::size_t first, const Points& points,
               const std::vector<std::size_t>& cluster) {
  const std::size_t width = points.width;
  std::vector<double> sums(centroids.size());
  std::vector<std::size_t> members(centroids.size() / width);
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    if (cluster[i] < first || cluster[i] - first >= members.size()) continue;
    const std::size_t own = cluster[i] - first;
    const auto point = points[i];
    for (std::size_t j = 0; j < width; ++j) sums[own * width + j] += static_cast<double>(point[j]);
    ++members[own];
  }
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (members[c] == 0) continue;
    for (std::size_t j = 0; j < width; ++j) {
      centroids[c * width + j] = static_cast<float>(sums[c * width + j] / static_cast<double>(members[c]));
    }
  }
}

/// Every cluster's mean, some clusters side by side: each sums its own points in their order.
void move_to_means(std::vector<float>& centroids, const Points& points, const std::vector<std::size_t>& cluster,
                   const SideBySide& side_by_side) {
  constexpr std::size_t kAtATime = 16;
  const std::size_t clusters = centroids.size() / points.width;
  side_by_side((clusters + kAtATime - 1) / kAtATime, [&](std::size_t i) {
    const std::size_t first = i * kAtATime;
    const std::size_t count = std::min(kAtATime, clusters - first);
    move_some(std::span(centroids).subspan(first * points.width, count * points.width), first, points, cluster);
  });
}

/// The point at `share` of the summed distances.
std::size_t draw_point(const std::vector<double>& distances, double share) {
  double total = 0;
  for (const double distance : distances) total += distance;
  double left = share * total;
  std::size_t last = 0;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] <= 0) continue;
    last = i;
    left -= distances[i];
    if (left < 0) break;
  }
  return last;
}

/// The candidate that leaves the smallest sum of distances to the nearest chosen point, and those distances.
std::pair<std::size_t, std::vector<double>> best_candidate(const Points& points, const SideBySide& side_by_side,
                                                           const std::vector<std::size_t>& candidates,
                                                           const std::vector<double>& nearest, const Trainer& trainer) {
  std::vector<float> chosen;
  for (const std::size_t candidate : candidates) {
    const auto point = points[candidate];
    chosen.insert(chosen.end(), point.begin(), point.end());
  }
  std::vector<std::vector<double>> after(candidates.size(), nearest);
  std::vector<double> sums(candidates.size());
  for_each_point(points, chosen, side_by_side, trainer, [&](std::size_t i, std::span<const float> distances) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const double distance = i == candidates[c] ? 0 : static_cast<double>(distances[c]);
      after[c][i] = std::min(nearest[i], distance);
      sums[c] += after[c][i];
    }
  });
  const auto best = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());
  return {candidates[best], std::move(after[best])};
}

}  // namespace

std::vector<float> squared_distances(std::span<const float> points, std::span<const float> centroids,
                                     std::int64_t width, const Trainer& trainer) {
  const auto d = static_cast<std::size_t>(width);
  return distances_by_norms(points, squared_norms(points, d), centroids, squared_norms(centroids, d), trainer);
}

std::vector<float> k_means_start(std::span<const float> matrix, const KMeansOptions& options, const Trainer& trainer) {
  const Points points(matrix, static_cast<std::size_t>(options.width));
  check(points.count() > 0, "k-means has a point");
  const auto draws = 2 + static_cast<std::size_t>(std::log(static_cast<double>(options.clusters)));
  std::vector<double> nearest(points.count(), std::numeric_limits<double>::max());
  std::vector<float> centroids;
  for (std::uint64_t c = 0; c < static_cast<std::uint64_t>(options.clusters); ++c) {
    std::vector<std::size_t> candidates;
    if (c == 0) candidates = {draw_below(points.count(), options.seed, Draw::k_means, c)};
    for (std::uint64_t draw = 0; c > 0 && draw < draws; ++draw) {
      candidates.push_back(draw_point(nearest, draw_uniform(options.seed, Draw::k_means, c, draw)));
    }
    auto [chosen, distances] = best_candidate(points, options.side_by_side, candidates, nearest, trainer);
    nearest = std::move(distances);
    const auto point = points[chosen];
    centroids.insert(centroids.end(), point.begin(), point.end());
  }
  return centroids;
}

std::vector<float> k_means_rounds(std::span<const float> matrix, std::vector<float> centroids,
                                  const KMeansOptions& options, const Trainer& trainer) {
  const Points points(matrix, static_cast<std::size_t>(options.width));
  std::vector<std::size_t> before;
  for (int round = 0; round < options.rounds; ++round) {
    Assignment assignment = assign(points, centroids, options.side_by_side, trainer);
    fill_empty(assignment, static_cast<std::size_t>(options.clusters));
    if (assignment.cluster == before) break;
    move_to_means(centroids, points, assignment.cluster, options.side_by_side);
    before = std::move(assignment.cluster);
  }
  return centroids;
}

std::vector<float> k_means(std::span<const float> points, const KMeansOptions& options, const Trainer& trainer) {
  return k_means_rounds(points, k_means_start(points, options, trainer), options, trainer);
}

}  // namespace dipaco
