#include "core/routing/penalty.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace dipaco {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::array kPenalties{1e-3, 3e-3, 1e-2, 3e-2, 1e-1};
/// Documents times paths times features. At the bound all fits take about a minute on one core: bench_router's, scaled.
constexpr double kMostWork = 5e8;

struct Fold {
  std::vector<float> points;
  std::vector<PathId> labels;
};

/// The documents of one fold, or all others: every fifth one belongs to it.
Fold part_of(std::span<const float> points, std::span<const PathId> labels, std::size_t fold, bool inside) {
  const std::size_t width = points.size() / labels.size();
  Fold part;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if ((i % kFolds == fold) != inside) continue;
    const auto point = points.subspan(i * width, width);
    part.points.insert(part.points.end(), point.begin(), point.end());
    part.labels.push_back(labels[i]);
  }
  return part;
}

}  // namespace

double chosen_penalty(std::span<const float> points, std::span<const PathId> labels, const LogisticOptions& options,
                      const Trainer& trainer) {
  const double work = static_cast<double>(points.size()) * options.paths;
  if (labels.size() < kFolds || work > kMostWork) return kPenalties.front();
  std::array<double, kPenalties.size()> losses{};
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    const Fold learned = part_of(points, labels, fold, false);
    const Fold held_out = part_of(points, labels, fold, true);
    for (std::size_t k = 0; k < kPenalties.size(); ++k) {
      LogisticOptions with = options;
      with.penalty = kPenalties[k];
      const LogisticModel model = fit_logistic(learned.points, learned.labels, with, trainer).model;
      losses[k] += static_cast<double>(held_out.labels.size()) *
                   cross_entropy(model, held_out.points, held_out.labels, with, trainer);
    }
  }
  return kPenalties[static_cast<std::size_t>(std::ranges::min_element(losses) - losses.begin())];
}

}  // namespace dipaco
