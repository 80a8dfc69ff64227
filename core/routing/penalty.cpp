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

bool makes_fits(std::size_t documents, std::size_t width, std::int32_t paths) {
  return documents >= kFolds && static_cast<double>(documents * width) * paths <= kMostWork;
}

}  // namespace

double penalty_work(std::size_t documents, std::size_t width, std::int32_t paths) {
  if (!makes_fits(documents, width, paths)) return 0;
  return static_cast<double>(kPenalties.size() * (kFolds - 1));  // of each penalty five to four fifths
}

double chosen_penalty(std::span<const float> points, std::span<const PathId> labels, const LogisticOptions& options,
                      const Trainer& trainer) {
  if (labels.empty() || !makes_fits(labels.size(), points.size() / labels.size(), options.paths)) {
    return kPenalties.front();
  }
  std::array<std::array<double, kPenalties.size()>, kFolds> held_out_losses{};
  options.side_by_side(kFolds * kPenalties.size(), [&](std::size_t fit) {
    const std::size_t fold = fit / kPenalties.size();
    const Fold learned = part_of(points, labels, fold, false);
    const Fold held_out = part_of(points, labels, fold, true);
    LogisticOptions with = options;
    with.penalty = kPenalties[fit % kPenalties.size()];
    with.side_by_side = one_by_one;
    const LogisticModel model = fit_logistic(learned.points, learned.labels, with, trainer).model;
    held_out_losses[fold][fit % kPenalties.size()] =
        static_cast<double>(held_out.labels.size()) *
        cross_entropy(model, held_out.points, held_out.labels, with, trainer);
  });
  std::array<double, kPenalties.size()> losses{};
  for (const auto& of_fold : held_out_losses) {
    for (std::size_t k = 0; k < losses.size(); ++k) losses[k] += of_fold[k];
  }
  return kPenalties[static_cast<std::size_t>(std::ranges::min_element(losses) - losses.begin())];
}

}  // namespace dipaco
