#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/random.hpp"
#include "core/eval/side_by_side.hpp"
#include "core/routing/calibration.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kManyPaths = 64;

std::vector<PathId> labels_of(const std::vector<std::int32_t>& paths) {
  std::vector<PathId> labels;
  for (const std::int32_t path : paths) labels.push_back(PathId{path});
  return labels;
}

double normal(std::uint64_t seed, std::size_t a, std::size_t b = 0) { return draw_normal(seed, Draw::jitter, a, b); }

using LogitOf = std::function<double(std::size_t document, std::size_t path)>;

std::vector<float> logits_of(const LogitOf& logit, std::size_t documents) {
  std::vector<float> logits;
  for (std::size_t i = 0; i < documents; ++i) {
    for (std::size_t p = 0; p < kManyPaths; ++p) logits.push_back(static_cast<float>(logit(i, p)));
  }
  return logits;
}

/// Unequal targets: labels of which path p gets a part in proportion to e^normal, so that some get hardly any.
std::vector<double> unequal_targets() {
  std::vector<PathId> labels;
  for (std::size_t p = 0; p < kManyPaths; ++p) {
    labels.insert(labels.end(), static_cast<std::size_t>(100 * std::exp(1.5 * normal(3, p))),
                  PathId{static_cast<std::int32_t>(p)});
  }
  return calibration_targets(labels, kManyPaths);
}

TEST_CASE("a path's target is its share of the labels, but never below a fifth of an even share", "[routing]") {
  // Shares 6/8, 2/8, 0, 0; a quarter of 1/4 at least: 1/16; their sum is 9/8.
  const auto targets = calibration_targets(labels_of({0, 0, 1, 0, 0, 1, 0, 0}), 4);
  const std::vector<double> expected{6.0 / 9, 2.0 / 9, 1.0 / 18, 1.0 / 18};
  for (std::size_t p = 0; p < 4; ++p) CHECK(targets[p] == Approx(expected[p]));
  for (const double target : unequal_targets()) CHECK(target >= 0.2 / kManyPaths);
  CHECK_THROWS_AS(calibration_targets(labels_of({4}), 4), std::logic_error);
}

TEST_CASE("the calibrated bias of four documents lies where it was worked by hand", "[routing]") {
  // Path 1 is worse by 5, 3, 2 and 1. To get half of the documents it needs 2 to 3 more than path 0.
  const std::vector<float> logits{0, -5, 0, -3, 0, -2, 0, -1};
  CHECK(best_path_shares(logits, std::vector<float>{0, 0}) == std::vector<double>{1, 0});
  const std::vector<float> bias = calibrated_bias(logits, std::vector<double>{0.25, 0.75});
  CHECK(bias[0] + bias[1] == Approx(0).margin(1e-6));
  CHECK(best_path_shares(logits, bias) == std::vector<double>{0.25, 0.75});
  CHECK(bias[1] - bias[0] > 3);
  CHECK(bias[1] - bias[0] < 5);
}

struct Case {
  const char* name;
  LogitOf logit;
  std::vector<double> targets;
};

std::vector<Case> cases() {
  const std::vector<double> even(kManyPaths, 1.0 / kManyPaths);
  const LogitOf unequal = [](std::size_t i, std::size_t p) { return normal(1, i, p) + 3 * normal(2, p); };
  const LogitOf over_confident = [=](std::size_t i, std::size_t p) { return 40 * unequal(i, p); };
  const LogitOf one_path_wins = [](std::size_t i, std::size_t p) { return normal(1, i, p) + (p == 5 ? 1000.0 : 0.0); };
  // Paths that lie along a line have only two neighbours each, from which they can get documents.
  const LogitOf chain = [](std::size_t i, std::size_t p) {
    const double place = std::pow(static_cast<double>(p) / kManyPaths, 2);
    return -500 * std::pow(draw_uniform(1, Draw::jitter, i) - place, 2);
  };
  return {{"unequal", unequal, even},
          {"over-confident", over_confident, unequal_targets()},
          {"one path wins", one_path_wins, even},
          {"chain", chain, unequal_targets()}};
}

TEST_CASE("without calibration paths starve, with it each is within a tenth of its target", "[routing][long]") {
  for (const auto& [name, logit, targets] : cases()) {
    INFO(name);
    const std::vector<float> logits = logits_of(logit, 20'000);
    const auto before = best_path_shares(logits, std::vector<float>(kManyPaths));
    const auto after = best_path_shares(logits, calibrated_bias(logits, targets));
    double least = 1;
    for (std::size_t p = 0; p < kManyPaths; ++p) {
      least = std::min(least, before[p] / targets[p]);
      CHECK(std::abs(after[p] / targets[p] - 1) < 0.1);
    }
    CHECK(least < 0.1);
  }
}

TEST_CASE("a bias that is right stays, and documents that cannot be told apart go together", "[routing]") {
  const std::vector<float> even{1, 0, 0, 1};
  CHECK(calibrated_bias(even, std::vector<double>{0.5, 0.5}) == std::vector<float>{0, 0});
  const std::vector<float> alike(20, 7.0F);
  const auto bias = calibrated_bias(alike, std::vector<double>{0.5, 0.5});
  const auto shares = best_path_shares(alike, bias);
  CHECK(std::max(shares[0], shares[1]) == 1);
  CHECK(calibrated_bias(std::vector<float>{3, 4}, std::vector<double>{1}) == std::vector<float>{0});
}

TEST_CASE("a calibrated bias has the same bits for any number of threads", "[routing]") {
  const auto logits = logits_of([](std::size_t i, std::size_t p) { return normal(1, i, p) + 2 * normal(2, p); }, 9000);
  const std::vector<double> targets(kManyPaths, 1.0 / kManyPaths);
  const auto threads = [](std::size_t count, const auto& work) { side_by_side(count, 3, work); };
  CHECK(calibrated_bias(logits, targets) == calibrated_bias(logits, targets, threads));
}

}  // namespace
}  // namespace dipaco
