#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/routing/parts.hpp"
#include "core/trainer/trainer.hpp"

namespace dipaco {

/// A linear classifier: the logits of point z are weights z + bias. P paths, d features.
struct LogisticModel {
  std::vector<float> weights;  ///< [P, d]
  std::vector<float> bias;     ///< [P]
};

struct LogisticOptions {
  std::int32_t paths = 0;
  std::int64_t width = 0;  ///< d
  double penalty = 1e-3;   ///< half of it times the squares of weights and bias are added to the loss (Choice)
  double gap = 1e-2;       ///< nats a document above the least loss that end the fit
  int evaluations = 200;   ///< of loss and gradient, at most
  SideBySide side_by_side = one_by_one;
};

struct LogisticFit {
  LogisticModel model;
  double loss = 0;  ///< nats a document, with the penalty
  int evaluations = 0;
};

/// The classifier of least mean cross-entropy on points [n, d] with labels [n] (§2.4.2, §7.2.1), by L-BFGS on all
/// points at once. The loss is strongly convex by its penalty, so that |gradient|^2 / (2 penalty) bounds what is left
/// to gain: the fit ends once that is below options.gap. The second derivative at 0 is the metric of its steps, so that
/// correlated features cost no more of them. A path without a label gets logits that fall below the others'.
/// Equal arguments give equal bits, whatever side_by_side does.
/// REQUIRES n > 0 and labels within the paths.
LogisticFit fit_logistic(std::span<const float> points, std::span<const PathId> labels, const LogisticOptions& options,
                         const Trainer& trainer);

/// Mean cross-entropy in nats of the labels under the classifier, without a penalty.
double cross_entropy(const LogisticModel& model, std::span<const float> points, std::span<const PathId> labels,
                     const LogisticOptions& options, const Trainer& trainer);

}  // namespace dipaco
