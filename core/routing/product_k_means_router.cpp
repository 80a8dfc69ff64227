#include "core/routing/product_k_means_router.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/routing/calibration.hpp"
#include "core/routing/feature_router.hpp"
#include "core/routing/k_means.hpp"
#include "core/routing/k_means_router.hpp"
#include "core/routing/principal_axes.hpp"
#include "core/routing/router_file.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kMostPaths = 65536;  // as of a topology: a file cannot ask for endless scores
constexpr std::size_t kMostAxes = 32;  // beyond them features vary little; a level of a deeper grid has one at least

/// The axes and centroids of one level that chooses.
struct Part {
  std::size_t begin = 0;     ///< first axis
  std::size_t width = 0;     ///< m_l
  std::size_t clusters = 0;  ///< K_l
};

/// The levels that have several experts; all where none has.
std::vector<std::size_t> choosing(const std::vector<std::int32_t>& levels) {
  std::vector<std::size_t> all(levels.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> some;
  std::ranges::copy_if(all, std::back_inserter(some), [&](std::size_t level) { return levels[level] > 1; });
  return some.empty() ? all : some;
}

/// The level that each of m axes, by falling variance, is dealt to: to and fro, the level of most experts first.
std::vector<std::size_t> deal(const std::vector<std::int32_t>& levels, std::size_t axes) {
  std::vector<std::size_t> turn = choosing(levels);
  std::stable_sort(turn.begin(), turn.end(), [&](std::size_t a, std::size_t b) { return levels[a] > levels[b]; });
  std::vector<std::size_t> owners;
  while (owners.size() < axes) {
    owners.insert(owners.end(), turn.begin(), turn.end());
    std::reverse(turn.begin(), turn.end());
  }
  owners.resize(axes);
  return owners;
}

std::vector<Part> parts_of(const std::vector<std::int32_t>& levels, std::size_t axes) {
  std::vector<Part> parts(levels.size());
  for (const std::size_t level : deal(levels, axes)) ++parts[level].width;
  std::size_t begin = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    parts[l].begin = begin;
    parts[l].clusters = static_cast<std::size_t>(levels[l]);
    begin += parts[l].width;
  }
  std::erase_if(parts, [](const Part& part) { return part.width == 0; });
  return parts;
}

/// The principal axes of points [n, d], those of the first level first: [m, d].
std::vector<float> dealt_axes(const RouterFit& fit, std::span<const float> points, const Trainer& trainer) {
  const std::vector<std::int32_t>& levels = fit.levels;
  const auto width = static_cast<std::size_t>(fit.width);
  const std::size_t count = std::min(width, std::max(kMostAxes, levels.size()));
  const std::vector<float> axes = principal_axes(points, width, count, fit.side_by_side, trainer);
  const std::vector<std::size_t> owners = deal(levels, count);
  std::vector<float> dealt;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    for (std::size_t i = 0; i < count; ++i) {
      if (owners[i] == l) dealt.insert(dealt.end(), &axes[i * width], &axes[i * width] + width);
    }
  }
  return dealt;
}

/// The points [n, d] along the axes [m, d]: [n, m].
std::vector<float> along(std::span<const float> axes, std::span<const float> points, std::size_t width,
                         const Trainer& trainer) {
  const auto d = static_cast<std::int64_t>(width);
  return trainer.product(points, axes, {.n = std::ssize(points) / d, .k = std::ssize(axes) / d, .d = d});
}

/// The columns of one part of points [n, d]: [n, d_l].
std::vector<float> columns(std::span<const float> points, std::size_t width, const Part& part) {
  std::vector<float> out;
  out.reserve(points.size() / width * part.width);
  for (std::size_t row = part.begin; row < points.size(); row += width) {
    const auto some = points.subspan(row, part.width);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

/// The paths of a full grid; nothing where there is no level, a level has no expert, or the paths are too many.
std::optional<std::int64_t> paths_of(const std::vector<std::int32_t>& levels) {
  std::int64_t paths = levels.empty() ? 0 : 1;
  for (const std::int32_t experts : levels) {
    if (experts <= 0) return std::nullopt;
    paths *= experts;
    if (paths > kMostPaths) return std::nullopt;
  }
  return paths > 0 ? std::optional(paths) : std::nullopt;
}

class ProductKMeansRouter final : public FeatureRouter {
 public:
  ProductKMeansRouter(ProductKMeansModel model, const Trainer& trainer)
      : FeatureRouter(std::move(model.standardisation), trainer),
        levels_(std::move(model.levels)),
        axes_(std::move(model.axes)),
        parts_(parts_of(levels_, axes_.size() / static_cast<std::size_t>(width()))),
        paths_(static_cast<std::int32_t>(paths_of(levels_).value())),
        centroids_(std::move(model.centroids)),
        bias_(std::move(model.bias)) {}

  std::int32_t paths() const override { return paths_; }

  std::vector<std::byte> encode() const override {
    ByteWriter writer = begin_router(kProductKMeans);
    writer.array(std::span<const std::int32_t>(levels_));
    return finish_router(std::move(writer),
                         {standardisation().mean, standardisation().scale, axes_, centroids_, bias_});
  }

 private:
  std::vector<float> scores_of(std::span<const float> points) const override {
    const auto d = static_cast<std::size_t>(width());
    const std::vector<float> turned = along(axes_, points, d, trainer());
    std::vector<std::vector<float>> distances;  // of each level [n, K_l]
    std::size_t centroid = 0;
    for (const Part& part : parts_) {
      const std::size_t size = part.clusters * part.width;
      distances.push_back(squared_distances(columns(turned, axes_.size() / d, part),
                                            std::span(centroids_).subspan(centroid, size),
                                            static_cast<std::int64_t>(part.width), trainer()));
      centroid += size;
    }
    std::vector<float> scores;
    scores.reserve(points.size() / d * static_cast<std::size_t>(paths_));
    for (std::size_t i = 0; i < points.size() / d; ++i) append_scores(scores, distances, i);
    return scores;
  }

  /// Document i's distances, summed over the levels for all combinations of experts, the last level's fastest.
  void append_scores(std::vector<float>& scores, const std::vector<std::vector<float>>& distances,
                     std::size_t i) const {
    std::vector<double> sums{0};
    for (std::size_t l = 0; l < parts_.size(); ++l) {
      const std::size_t experts = parts_[l].clusters;
      const auto own = std::span(distances[l]).subspan(i * experts, experts);
      std::vector<double> next;
      next.reserve(sums.size() * experts);
      for (const double sum : sums) {
        for (const float distance : own) next.push_back(sum + static_cast<double>(distance));
      }
      sums = std::move(next);
    }
    for (std::size_t p = 0; p < sums.size(); ++p) {
      scores.push_back(static_cast<float>(static_cast<double>(bias_[p]) - sums[p]));
    }
  }

  std::vector<std::int32_t> levels_;
  std::vector<float> axes_;
  std::vector<Part> parts_;
  std::int32_t paths_;
  std::vector<float> centroids_;
  std::vector<float> bias_;
};

/// Under which no path starves; zeros where that is so without.
std::vector<float> bias_of(const Router& unbiased, std::span<const float> features, const SideBySide& side_by_side) {
  const std::vector<std::uint64_t> hashes(features.size() / static_cast<std::size_t>(unbiased.width()));
  const std::vector<PathId> routes = unbiased.route(features, hashes, 1);
  std::vector<std::size_t> documents(static_cast<std::size_t>(unbiased.paths()));
  for (const PathId path : routes) ++documents[static_cast<std::size_t>(index(path))];
  const double fewest = static_cast<double>(*std::min_element(documents.begin(), documents.end()));
  if (fewest / static_cast<double>(routes.size()) >= kLeastTarget / unbiased.paths()) {
    return std::vector<float>(documents.size());
  }
  return calibrated_bias(unbiased.scores(features, hashes), calibration_targets(routes, unbiased.paths()),
                         side_by_side);
}

void require_grid(const RouterFit& fit) {
  if (paths_of(fit.levels) != fit.paths) {
    throw ConfigError("routing.method=product_k_means: the " + std::to_string(fit.paths) +
                      " paths of this topology are no full grid: write one such as topology.levels=8x8, or take "
                      "routing.method=k_means");
  }
  if (fit.width < std::ssize(choosing(fit.levels))) {
    throw ConfigError("routing.method=product_k_means: model.hidden=" + std::to_string(fit.width) + " features for " +
                      std::to_string(choosing(fit.levels).size()) +
                      " levels, each of which needs an axis of its own: have fewer levels in topology.levels");
  }
}

}  // namespace

KMeansNeed product_k_means_need(const RouterFit& fit) {
  const std::int32_t most = fit.levels.empty() ? fit.paths : *std::max_element(fit.levels.begin(), fit.levels.end());
  return {.method = kProductKMeans, .clusters = most, .noun = "experts of a level"};
}

std::unique_ptr<Router> fit_product_k_means_router(std::span<const float> features, const RouterFit& fit,
                                                   bool calibrate_bias, const Trainer& trainer) {
  require_grid(fit);
  require_documents(features, fit.width, product_k_means_need(fit));
  const auto width = static_cast<std::size_t>(fit.width);
  ProductKMeansModel model{.levels = fit.levels,
                           .standardisation = measure_features(features, width),
                           .axes = {},
                           .centroids = {},
                           .bias = std::vector<float>(static_cast<std::size_t>(fit.paths))};
  const std::vector<float> points = standardised(model.standardisation, features);
  model.axes = dealt_axes(fit, points, trainer);
  const std::vector<float> turned = along(model.axes, points, width, trainer);
  const std::size_t axes = model.axes.size() / width;
  for (const Part& part : parts_of(fit.levels, axes)) {
    const KMeansOptions options{.clusters = static_cast<std::int32_t>(part.clusters),
                                .width = static_cast<std::int64_t>(part.width),
                                .seed = fit.seed,
                                .side_by_side = fit.side_by_side};
    const std::vector<float> centroids = k_means(columns(turned, axes, part), options, trainer);
    model.centroids.insert(model.centroids.end(), centroids.begin(), centroids.end());
  }
  if (calibrate_bias) model.bias = bias_of(ProductKMeansRouter(model, trainer), features, fit.side_by_side);
  return std::make_unique<ProductKMeansRouter>(std::move(model), trainer);
}

std::unique_ptr<Router> read_product_k_means_router(ByteReader& reader, const Trainer& trainer) {
  ProductKMeansModel model;
  model.levels = reader.array<std::int32_t>();
  auto& [mean, scale] = model.standardisation;
  mean = read_finite(reader);
  scale = read_finite(reader);
  model.axes = read_finite(reader);
  model.centroids = read_finite(reader);
  model.bias = read_finite(reader);
  const std::size_t width = mean.size();
  std::size_t numbers = 0;
  const std::size_t axes = width == 0 ? 0 : model.axes.size() / width;
  const bool grid = paths_of(model.levels).has_value() && scale.size() == width && model.axes.size() == axes * width &&
                    axes >= choosing(model.levels).size() && axes <= width;
  if (grid) {
    for (const Part& part : parts_of(model.levels, axes)) numbers += part.clusters * part.width;
  }
  if (grid && std::ssize(model.bias) != *paths_of(model.levels)) {
    reader.fail("a bias of " + std::to_string(model.bias.size()) + " paths for a grid of " +
                std::to_string(*paths_of(model.levels)));
  }
  if (!grid || numbers != model.centroids.size()) {
    reader.fail(std::to_string(model.centroids.size()) + " numbers are no centroids of " +
                std::to_string(model.levels.size()) + " levels and " + std::to_string(axes) + " axes of width " +
                std::to_string(width));
  }
  return std::make_unique<ProductKMeansRouter>(std::move(model), trainer);
}

}  // namespace dipaco
