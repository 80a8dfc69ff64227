#include "core/routing/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/routing/minimise.hpp"

namespace dipaco {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

/// The weights, then the bias, as L-BFGS moves them.
LogisticModel to_model(std::span<const double> x, std::size_t weights) {
  return {.weights = {x.begin(), x.begin() + static_cast<std::ptrdiff_t>(weights)},
          .bias = {x.begin() + static_cast<std::ptrdiff_t>(weights), x.end()}};
}

/// Turns a document's logits [P] into what its loss changes by with each, and returns the loss in nats.
double to_residual(std::span<float> logits, std::span<const float> bias, std::size_t label) {
  for (std::size_t p = 0; p < logits.size(); ++p) logits[p] += bias[p];
  const float most = *std::max_element(logits.begin(), logits.end());
  const double wanted = static_cast<double>(logits[label]) - static_cast<double>(most);
  double sum = 0;
  for (float& logit : logits) {
    logit = std::exp(logit - most);
    sum += static_cast<double>(logit);
  }
  const auto scale = static_cast<float>(1 / sum);
  for (float& value : logits) value *= scale;
  logits[label] -= 1;
  return std::log(sum) - wanted;
}

/// LossSums over one part of the documents.
struct LossSums {
  double loss = 0;
  std::vector<float> weights;  ///< [P, d]
  std::vector<double> bias;    ///< [P]
};

class LogisticLoss {
 public:
  LogisticLoss(std::span<const float> points, std::span<const PathId> labels, const LogisticOptions& options,
               const Trainer& trainer)
      : points_(points), labels_(labels), options_(options), trainer_(trainer) {}

  /// Mean loss over the documents and its gradient, with the penalty.
  double operator()(std::span<const double> x, std::span<double> gradient) const {
    const LogisticModel model = to_model(x, size(options_.paths * options_.width));
    const double share = 1 / static_cast<double>(labels_.size());
    for (std::size_t i = 0; i < x.size(); ++i) gradient[i] = options_.penalty * x[i];
    double loss = 0;
    for (const double value : x) loss += options_.penalty / 2 * value * value;
    const auto work = [&](DocumentPart part) { return sums_of(model, part); };
    for_each_document_part(labels_.size(), options_.side_by_side, work, [&](const LossSums& sums) {
      loss += share * sums.loss;
      const std::size_t weights = sums.weights.size();
      for (std::size_t i = 0; i < weights; ++i) gradient[i] += share * static_cast<double>(sums.weights[i]);
      for (std::size_t p = 0; p < sums.bias.size(); ++p) gradient[weights + p] += share * sums.bias[p];
    });
    return loss;
  }

 private:
  LossSums sums_of(const LogisticModel& model, DocumentPart part) const {
    const std::size_t d = size(options_.width);
    const std::size_t paths = size(options_.paths);
    const auto rows = static_cast<std::int64_t>(part.count);
    const auto points = points_.subspan(part.first * d, part.count * d);
    std::vector<float> residuals =
        trainer_.product(points, model.weights, {.n = rows, .k = options_.paths, .d = options_.width});
    LossSums sums{.loss = 0, .weights = {}, .bias = std::vector<double>(paths)};
    for (std::size_t i = 0; i < part.count; ++i) {
      const auto row = std::span(residuals).subspan(i * paths, paths);
      sums.loss += to_residual(row, model.bias, size(index(labels_[part.first + i])));
      for (std::size_t p = 0; p < paths; ++p) sums.bias[p] += static_cast<double>(row[p]);
    }
    sums.weights =
        trainer_.product(residuals, points, {.n = options_.paths, .k = options_.width, .d = rows, .transposed = true});
    return sums;
  }

  std::span<const float> points_;
  std::span<const PathId> labels_;
  const LogisticOptions& options_;
  const Trainer& trainer_;
};

/// In place; [d, d], symmetric and positive, so that no pivot has to be looked for (Gauss and Jordan).
void invert(std::vector<double>& matrix, std::size_t d) {
  for (std::size_t pivot = 0; pivot < d; ++pivot) {
    double* const pivot_row = &matrix[pivot * d];
    check(pivot_row[pivot] > 0, "the matrix is positive");
    const double inverse = 1 / pivot_row[pivot];
    pivot_row[pivot] = 1;
    for (std::size_t j = 0; j < d; ++j) pivot_row[j] *= inverse;
    for (std::size_t i = 0; i < d; ++i) {
      if (i == pivot) continue;
      double* const row = &matrix[i * d];
      const double factor = row[pivot];
      row[pivot] = 0;
      for (std::size_t j = 0; j < d; ++j) row[j] -= factor * pivot_row[j];
    }
  }
}

/// The inverse of the loss' second derivative at 0, but for what paths have to do with each other: for each path's
/// weights that of covariance / P + penalty [d, d].
std::vector<float> weight_metric(std::span<const float> points, const LogisticOptions& options,
                                 const Trainer& trainer) {
  const std::size_t d = size(options.width);
  const std::size_t n = points.size() / d;
  const double share = 1 / (static_cast<double>(n) * options.paths);
  std::vector<double> matrix(d * d);
  const auto work = [&](DocumentPart part) {
    const auto rows = points.subspan(part.first * d, part.count * d);
    return trainer.product(
        rows, rows,
        {.n = options.width, .k = options.width, .d = static_cast<std::int64_t>(part.count), .transposed = true});
  };
  for_each_document_part(n, options.side_by_side, work, [&](const std::vector<float>& squares) {
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] += share * static_cast<double>(squares[i]);
  });
  for (std::size_t j = 0; j < d; ++j) matrix[j * d + j] += options.penalty;
  invert(matrix, d);
  return {matrix.begin(), matrix.end()};
}

}  // namespace

LogisticFit fit_logistic(std::span<const float> points, std::span<const PathId> labels, const LogisticOptions& options,
                         const Trainer& trainer) {
  const std::size_t weights = size(options.paths * options.width);
  check(!labels.empty() && points.size() == labels.size() * size(options.width), "points are [n, d] and labels [n]");
  check(std::all_of(labels.begin(), labels.end(),
                    [&](PathId label) { return index(label) >= 0 && index(label) < options.paths; }),
        "a label is a path");
  const std::vector<float> metric = weight_metric(points, options, trainer);
  const double bias_metric = 1 / (1.0 / options.paths + options.penalty);
  const MinimiseOptions how{.done =
                                [&](std::span<const double> gradient) {
                                  double squares = 0;
                                  for (const double value : gradient) squares += value * value;
                                  return squares <= 2 * options.penalty * options.gap;
                                },
                            .metric =
                                [&](std::span<const double> gradient) {
                                  const LogisticModel part = to_model(gradient, weights);
                                  const auto product =
                                      trainer.product(part.weights, metric,
                                                      {.n = options.paths, .k = options.width, .d = options.width});
                                  std::vector<double> out(product.begin(), product.end());
                                  for (const float value : part.bias)
                                    out.push_back(bias_metric * static_cast<double>(value));
                                  return out;
                                },
                            .evaluations = options.evaluations};
  const Minimum minimum =
      minimise(LogisticLoss(points, labels, options, trainer), std::vector<double>(weights + size(options.paths)), how);
  return {to_model(minimum.x, weights), minimum.value, minimum.evaluations};
}

double cross_entropy(const LogisticModel& model, std::span<const float> points, std::span<const PathId> labels,
                     const LogisticOptions& options, const Trainer& trainer) {
  LogisticOptions without = options;
  without.penalty = 0;
  std::vector<double> x(model.weights.begin(), model.weights.end());
  x.insert(x.end(), model.bias.begin(), model.bias.end());
  std::vector<double> gradient(x.size());
  return LogisticLoss(points, labels, without, trainer)(x, gradient);
}

}  // namespace dipaco
