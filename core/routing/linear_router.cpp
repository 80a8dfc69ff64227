#include "core/routing/linear_router.hpp"

#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/routing/calibration.hpp"
#include "core/routing/feature_router.hpp"
#include "core/routing/penalty.hpp"
#include "core/routing/router_file.hpp"

namespace dipaco {
namespace {

class LinearRouter final : public FeatureRouter {
 public:
  LinearRouter(LinearModel model, const Trainer& trainer)
      : FeatureRouter(std::move(model.standardisation), trainer), classifier_(std::move(model.classifier)) {}

  std::int32_t paths() const override { return static_cast<std::int32_t>(classifier_.bias.size()); }

  std::vector<std::byte> encode() const override {
    ByteWriter writer = begin_router(kLinear);
    return finish_router(std::move(writer),
                         {standardisation().mean, standardisation().scale, classifier_.weights, classifier_.bias});
  }

 private:
  std::vector<float> scores_of(std::span<const float> points) const override {
    std::vector<float> scores =
        trainer().product(points, classifier_.weights, {.n = std::ssize(points) / width(), .k = paths(), .d = width()});
    const std::vector<float>& bias = classifier_.bias;
    for (std::size_t first = 0; first < scores.size(); first += bias.size()) {
      for (std::size_t p = 0; p < bias.size(); ++p) scores[first + p] += bias[p];
    }
    return scores;
  }

  LogisticModel classifier_;
};

/// weights z for each document: [n, P].
std::vector<float> logits_of(std::span<const float> points, const LogisticModel& model, const LinearFit& fit,
                             const Trainer& trainer) {
  const auto d = static_cast<std::size_t>(fit.width);
  std::vector<float> logits;
  logits.reserve(points.size() / d * model.bias.size());
  const auto work = [&](DocumentPart part) {
    return trainer.product(points.subspan(part.first * d, part.count * d), model.weights,
                           {.n = static_cast<std::int64_t>(part.count), .k = fit.paths, .d = fit.width});
  };
  for_each_document_part(points.size() / d, fit.side_by_side, work, [&](const std::vector<float>& some) {
    logits.insert(logits.end(), some.begin(), some.end());
  });
  return logits;
}

}  // namespace

std::unique_ptr<Router> fit_linear_router(std::span<const float> features, std::span<const PathId> labels,
                                          const LinearFit& fit, const Trainer& trainer) {
  check(fit.paths > 0 && fit.width > 0, "a router has paths and a feature a width");
  const auto width = static_cast<std::size_t>(fit.width);
  check(features.size() == labels.size() * width, "each document has a feature of the width and a label");
  if (labels.empty()) {
    throw ConfigError(
        "a discriminative router needs router documents: raise routing.router_fraction, or name more text in "
        "data.train");
  }
  require_finite(features, width);
  LinearModel model{.standardisation = measure_features(features, width), .classifier = {}};
  const std::vector<float> points = standardised(model.standardisation, features);
  LogisticOptions options{.paths = fit.paths, .width = fit.width, .side_by_side = fit.side_by_side};
  options.penalty = chosen_penalty(points, labels, options, trainer);
  model.classifier = fit_logistic(points, labels, options, trainer).model;
  if (fit.calibrate_bias) {
    const std::vector<float> logits = logits_of(points, model.classifier, fit, trainer);
    model.classifier.bias = calibrated_bias(logits, calibration_targets(labels, fit.paths), fit.side_by_side);
  }
  return std::make_unique<LinearRouter>(std::move(model), trainer);
}

std::unique_ptr<Router> read_linear_router(ByteReader& reader, const Trainer& trainer) {
  LinearModel model;
  auto& [mean, scale] = model.standardisation;
  mean = read_finite(reader);
  scale = read_finite(reader);
  auto& [weights, bias] = model.classifier;
  weights = read_finite(reader);
  bias = read_finite(reader);
  const std::size_t width = mean.size();
  const bool fits = width > 0 && !bias.empty() && scale.size() == width && weights.size() % width == 0 &&
                    weights.size() / width == bias.size();
  if (!fits) {
    reader.fail(std::to_string(weights.size()) + " numbers are no weights of " + std::to_string(bias.size()) +
                " paths and width " + std::to_string(width));
  }
  return std::make_unique<LinearRouter>(std::move(model), trainer);
}

}  // namespace dipaco
