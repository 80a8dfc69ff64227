#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/base/random.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/routing/logistic.hpp"
#include "core/routing/penalty.hpp"
#include "tests/prepare/fake_trainer.hpp"

namespace dipaco {
namespace {

using testing::FakeTrainer;

struct Labelled {
  std::vector<float> points;  ///< [n, d]
  std::vector<PathId> labels;
};

/// Points of `width` normal numbers; the label is the largest of the first `paths` of them with `noise` added.
Labelled made_up(std::size_t n, std::size_t width, std::size_t paths, double noise) {
  Labelled out;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> chances;
    for (std::size_t j = 0; j < width; ++j) {
      const double value = draw_normal(1, Draw::jitter, i, j);
      out.points.push_back(static_cast<float>(value));
      if (j < paths) chances.push_back(value + noise * draw_normal(2, Draw::jitter, i, j));
    }
    const auto best = std::max_element(chances.begin(), chances.end()) - chances.begin();
    out.labels.push_back(PathId{static_cast<std::int32_t>(best)});
  }
  return out;
}

std::vector<double> logits_of(const LogisticModel& model, std::span<const float> point) {
  std::vector<double> logits(model.bias.begin(), model.bias.end());
  for (std::size_t p = 0; p < logits.size(); ++p) {
    for (std::size_t j = 0; j < point.size(); ++j) {
      logits[p] += static_cast<double>(model.weights[p * point.size() + j]) * static_cast<double>(point[j]);
    }
  }
  return logits;
}

std::size_t best_of(const LogisticModel& model, std::span<const float> point) {
  const auto logits = logits_of(model, point);
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

/// Mean cross-entropy in nats with the penalty: the definition, in plain loops.
double loss_of(const LogisticModel& model, const Labelled& data, double penalty) {
  const std::size_t n = data.labels.size();
  const std::size_t width = data.points.size() / n;
  double loss = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto logits = logits_of(model, std::span(data.points).subspan(i * width, width));
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit);
    loss += (std::log(sum) - logits[static_cast<std::size_t>(index(data.labels[i]))]) / static_cast<double>(n);
  }
  for (const auto* numbers : {&model.weights, &model.bias}) {
    for (const float x : *numbers) loss += penalty / 2 * static_cast<double>(x) * static_cast<double>(x);
  }
  return loss;
}

TEST_CASE("two points have the classifier that was worked by hand", "[routing]") {
  const FakeTrainer trainer({});
  const std::vector<float> points{-1, 1};
  const std::vector<PathId> labels{PathId{0}, PathId{1}};
  // By symmetry the weights are -w and w, and no bias; the loss is log(1 + e^-2w) + penalty w^2, whose derivative
  // -2 / (1 + e^2w) + 2 penalty w is 0 at w = 1 for penalty = 1 / (1 + e^2).
  const double penalty = 1 / (1 + std::exp(2.0));
  const LogisticOptions options{.paths = 2, .width = 1, .penalty = penalty, .gap = 1e-10};
  const LogisticFit fit = fit_logistic(points, labels, options, trainer);
  CHECK(fit.model.weights[0] == Approx(-1).epsilon(1e-4));
  CHECK(fit.model.weights[1] == Approx(1).epsilon(1e-4));
  CHECK(std::abs(fit.model.bias[0]) < 1e-4);
  CHECK(std::abs(fit.model.bias[1]) < 1e-4);
  CHECK(fit.loss == Approx(std::log(1 + std::exp(-2.0)) + penalty));
}

TEST_CASE("labels that a plane separates are learned without an error", "[routing]") {
  const FakeTrainer trainer({});
  const Labelled data = made_up(400, 5, 4, 0);
  const LogisticFit fit = fit_logistic(data.points, data.labels, {.paths = 4, .width = 5, .penalty = 1e-5}, trainer);
  std::size_t right = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    right +=
        best_of(fit.model, std::span(data.points).subspan(i * 5, 5)) == static_cast<std::size_t>(index(data.labels[i]));
  }
  CHECK(right >= 396);  // a penalty keeps points that lie on the plane from being all right
}

TEST_CASE("at the fitted classifier the loss' slope is 0 in every direction", "[routing]") {
  const FakeTrainer trainer({});
  const Labelled data = made_up(150, 4, 3, 1);
  const double penalty = 1e-2;
  const LogisticOptions options{.paths = 3, .width = 4, .penalty = penalty, .gap = 1e-9};
  const LogisticFit fit = fit_logistic(data.points, data.labels, options, trainer);
  CHECK(fit.loss == Approx(loss_of(fit.model, data, penalty)).epsilon(1e-6));
  for (std::size_t i = 0; i < 12 + 3; ++i) {
    const auto at = [&](float step) {
      LogisticModel moved = fit.model;
      (i < 12 ? moved.weights[i] : moved.bias[i - 12]) += step;
      return loss_of(moved, data, penalty);
    };
    // (f(x + h) - f(x - h)) / 2h errs by h^2 / 6 of the third derivative, far below 1e-4 here; the slope at 0 is not.
    CHECK(std::abs(at(0.015625F) - at(-0.015625F)) / 0.03125 < 1e-4);
  }
  LogisticModel zero{.weights = std::vector<float>(12), .bias = std::vector<float>(3)};
  const double before = loss_of(zero, data, penalty);
  zero.weights[0] = 0.015625F;
  CHECK((before - loss_of(zero, data, penalty)) / 0.015625 > 1e-2);
}

TEST_CASE("the penalty is strong where features are many and documents few, and weak where there are plenty",
          "[routing]") {
  const FakeTrainer trainer({});
  const Labelled few = made_up(400, 60, 4, 1);
  const std::span<const float> points(few.points);
  const std::span<const PathId> labels(few.labels);
  LogisticOptions options{.paths = 4, .width = 60};
  const double strong = chosen_penalty(points.first(200 * 60), labels.first(200), options, trainer);
  CHECK(strong > 1e-3);
  // Of the documents that chose nothing, too, it is the better one.
  const auto loss = [&](double penalty) {
    options.penalty = penalty;
    const LogisticModel model = fit_logistic(points.first(200 * 60), labels.first(200), options, trainer).model;
    return cross_entropy(model, points.subspan(200 * 60), labels.subspan(200), options, trainer);
  };
  CHECK(loss(strong) < loss(1e-3));
  const Labelled plenty = made_up(4000, 4, 4, 1);
  CHECK(chosen_penalty(plenty.points, plenty.labels, {.paths = 4, .width = 4}, trainer) == 1e-3);
}

TEST_CASE("a fit ends within its gap of the least loss", "[routing]") {
  const FakeTrainer trainer({});
  const Labelled data = made_up(300, 6, 5, 1);
  LogisticOptions options{.paths = 5, .width = 6, .penalty = 1e-3, .gap = 1e-8};
  const LogisticFit least = fit_logistic(data.points, data.labels, options, trainer);
  int evaluations = least.evaluations;
  for (const double gap : {1e-4, 1e-2, 1.0}) {
    options.gap = gap;
    const LogisticFit fit = fit_logistic(data.points, data.labels, options, trainer);
    CHECK(fit.loss <= least.loss + gap);
    CHECK(fit.evaluations < evaluations);
    evaluations = fit.evaluations;
  }
}

TEST_CASE("correlated features and features that never vary are fitted in few evaluations", "[routing]") {
  const FakeTrainer trainer({});
  Labelled data = made_up(300, 6, 4, 1);
  for (std::size_t i = 0; i < 300; ++i) {
    float* const point = &data.points[i * 6];
    for (std::size_t j = 0; j < 4; ++j) point[j] = 0.05F * point[j] + point[4];  // all but equal
    point[5] = 0;
  }
  const LogisticFit fit = fit_logistic(data.points, data.labels, {.paths = 4, .width = 6, .gap = 1e-6}, trainer);
  CHECK(fit.evaluations < 40);
  for (std::size_t p = 0; p < 4; ++p) CHECK(fit.model.weights[p * 6 + 5] == 0);
}

TEST_CASE("a path without a label breaks nothing and is the best of no document", "[routing]") {
  const FakeTrainer trainer({});
  const Labelled data = made_up(200, 4, 3, 0.5);
  const LogisticFit fit = fit_logistic(data.points, data.labels, {.paths = 6, .width = 4}, trainer);
  for (const float x : fit.model.weights) CHECK(std::isfinite(x));
  for (std::size_t i = 0; i < 200; ++i) CHECK(best_of(fit.model, std::span(data.points).subspan(i * 4, 4)) < 3);
  const LogisticFit one =
      fit_logistic(data.points, std::vector<PathId>(200, PathId{0}), {.paths = 1, .width = 4}, trainer);
  CHECK(one.loss == 0);
}

TEST_CASE("a fit has the same bits for any number of threads and in any order", "[routing]") {
  const FakeTrainer trainer({});
  const Labelled data = made_up(20'000, 3, 3, 1);  // five parts
  LogisticOptions options{.paths = 3, .width = 3};
  const LogisticFit alone = fit_logistic(data.points, data.labels, options, trainer);
  const auto same = [&](const SideBySide& how) {
    options.side_by_side = how;
    const LogisticFit fit = fit_logistic(data.points, data.labels, options, trainer);
    return fit.model.weights == alone.model.weights && fit.model.bias == alone.model.bias && fit.loss == alone.loss;
  };
  CHECK(same(one_by_one));
  CHECK(same([](std::size_t count, const auto& work) { side_by_side(count, 3, work); }));
  CHECK(same([](std::size_t count, const auto& work) {
    while (count-- > 0) work(count);
  }));
}

TEST_CASE("a label that is no path is a bug", "[routing]") {
  const FakeTrainer trainer({});
  const std::vector<float> points{1, 2};
  const LogisticOptions options{.paths = 2, .width = 1};
  for (const std::int32_t label : {-1, 2}) {
    const std::vector<PathId> labels{PathId{0}, PathId{label}};
    CHECK_THROWS_AS(fit_logistic(points, labels, options, trainer), std::logic_error);
  }
  CHECK_THROWS_AS(fit_logistic(points, std::vector<PathId>(3), options, trainer), std::logic_error);
}

}  // namespace
}  // namespace dipaco
