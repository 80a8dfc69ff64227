// A transformer router before it learns: its start, its logits, its loss and its gradient.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "core/trainer/transformer_router.hpp"
#include "tests/nn/made_up.hpp"
#include "tests/nn/reference.hpp"

namespace dipaco {
namespace {

using testing::made_up_document;
using testing::made_up_router_batch;
using testing::pack;
using testing::Reference;
using testing::router_of;
using testing::start_of;
using testing::tiny_model;
using testing::trainer_for;

constexpr std::int32_t kPaths = 3;
constexpr std::size_t kLm = 1472;  // parameters of tiny_model()

Reference reference_of(const TrainState& router) {
  return {tiny_model(), std::vector<double>(router.parameters.begin(), router.parameters.end())};
}

std::vector<std::int64_t> all_positions(const Batch& batch) {
  std::vector<std::int64_t> positions(batch.tokens.size());
  std::iota(positions.begin(), positions.end(), 0);
  return positions;
}

/// What one router step on `batch` makes of `start`.
struct Stepped {
  TrainState state;
  InnerReport report;
};
Stepped step_on(const RouterBatch& batch, const TrainState& start, std::int32_t path_count,
                const InnerOptions& inner = {.beta1 = 0.5, .clip = 0}, std::int64_t micro_batches = 1) {
  Stepped result{start, {}};
  const std::atomic<bool> stop{false};
  const InnerPlan steps{.count = {1}, .total = {10}, .micro_batches = micro_batches, .threads = 2};
  result.report = trainer_for(tiny_model(), inner)
                      ->router_steps(
                          result.state, [&](InnerSteps /*step*/) { return batch; }, {path_count, steps}, stop);
  return result;
}

/// AdamW leaves (1 - beta1) x gradient in an empty first moment.
std::vector<double> gradient_of(const RouterBatch& batch, const TrainState& start, std::int32_t path_count,
                                std::int64_t micro_batches = 1) {
  const Stepped stepped = step_on(batch, start, path_count, {.beta1 = 0.5, .clip = 0}, micro_batches);
  std::vector<double> gradient;
  for (const float moment : stepped.state.first_moment) gradient.push_back(2.0 * static_cast<double>(moment));
  return gradient;
}

double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.size(); ++k) worst = std::max(worst, std::abs(a[k] - b[k]));
  return worst;
}

TEST_CASE("a router begins as the LM, without moments, and finds every path equally likely", "[nn]") {
  const std::vector<float> lm = start_of(tiny_model()).parameters;
  const TrainState router = router_start(lm, 8, kPaths);
  REQUIRE(router.parameters.size() == kLm + 3 * 8 + 3);
  CHECK(router_size(kLm, 8, kPaths) == kLm + 27);
  CHECK(std::equal(lm.begin(), lm.end(), router.parameters.begin()));
  CHECK(router.step == InnerSteps{0});
  CHECK(router.first_moment == std::vector<float>(kLm + 27));
  CHECK(router.second_moment == std::vector<float>(kLm + 27));
  const RouterBatch batch = made_up_router_batch(tiny_model(), kPaths, {3});
  const auto logits =
      trainer_for(tiny_model())->router_logits(router.parameters, kPaths, batch.batch, all_positions(batch.batch));
  CHECK(logits == std::vector<float>(64 * 3));
  CHECK(step_on(batch, router, kPaths).report.last_loss == Approx(std::log(3.0)));
}

TEST_CASE("a router's logits are those of the model in plain loops, in the order asked for", "[nn]") {
  const TrainState router = router_of(tiny_model(), kPaths);
  // Segments of 9, 5 | 16 tokens, and a row of padding.
  const Batch batch =
      pack({{made_up_document(9, 11, 1), made_up_document(5, 11, 2)}, {made_up_document(16, 11, 3)}, {}}, 16, 3);
  const std::vector<std::int64_t> positions{31, 4, 9, 13, 0, 16, 4};
  const auto logits = trainer_for(tiny_model())->router_logits(router.parameters, kPaths, batch, positions);
  const auto wanted = reference_of(router).path_logits(batch, kPaths);
  REQUIRE(logits.size() == positions.size() * 3);
  for (std::size_t k = 0; k < logits.size(); ++k) {
    CHECK(logits[k] == Approx(wanted[static_cast<std::size_t>(positions[k / 3])][k % 3]).epsilon(1e-4).margin(1e-5));
  }
  CHECK(trainer_for(tiny_model())->router_logits(router.parameters, kPaths, batch, {}).empty());
}

TEST_CASE("a router reads rows longer than those of training, and no token behind a position", "[nn]") {
  const TrainState router = router_of(tiny_model(), kPaths);
  const auto trainer = trainer_for(tiny_model());
  testing::Document document = made_up_document(40, 11, 1);
  const Batch batch = pack({{document}}, 40, 3);
  const std::vector<std::int64_t> positions{20, 39};
  const auto logits = trainer->router_logits(router.parameters, kPaths, batch, positions);
  const auto wanted = reference_of(router).path_logits(batch, kPaths);
  for (std::size_t path = 0; path < 3; ++path) {
    CHECK(logits[path] == Approx(wanted[20][path]).epsilon(1e-4));
    CHECK(logits[3 + path] == Approx(wanted[39][path]).epsilon(1e-4));
  }
  document[21] = (document[21] + 1) % 11;
  const auto others = trainer->router_logits(router.parameters, kPaths, pack({{document}}, 40, 3), positions);
  for (std::size_t path = 0; path < 3; ++path) {
    CHECK(others[path] == Approx(logits[path]).epsilon(1e-5));
    CHECK(others[3 + path] != logits[3 + path]);
  }
}

TEST_CASE("a router step's loss is the mean cross-entropy of the model in plain loops", "[nn]") {
  const TrainState router = router_of(tiny_model(), kPaths);
  const RouterBatch batch = made_up_router_batch(tiny_model(), kPaths, {3});
  const InnerReport report = step_on(batch, router, kPaths).report;
  CHECK(report.last_loss == Approx(reference_of(router).mean_path_loss(batch, kPaths)).epsilon(1e-5));
  // Documents of 16 | 9, 7 | 5, 4, 6 | 12 tokens, less the first of each.
  CHECK(report.trained == Tokens{15 + 8 + 6 + 4 + 3 + 5 + 11});
}

TEST_CASE("the gradient of every router parameter is the difference quotient of the model in plain loops", "[nn]") {
  const TrainState router = router_of(tiny_model(), kPaths);
  const RouterBatch batch = made_up_router_batch(tiny_model(), kPaths, {3});
  const std::vector<double> gradient = gradient_of(batch, router, kPaths);
  const std::vector<double> parameters(router.parameters.begin(), router.parameters.end());
  REQUIRE(gradient.size() == kLm + 27);
  constexpr double kStep = 1e-5;
  double worst = 0;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto moved = [&](double by) {
      std::vector<double> other = parameters;
      other[k] += by;
      return Reference(tiny_model(), other).mean_path_loss(batch, kPaths);
    };
    worst = std::max(worst, std::abs(gradient[k] - (moved(kStep) - moved(-kStep)) / (2 * kStep)));
  }
  CHECK(worst < 2e-6);
  // The bound says something: every part of the vector has gradients far above it.
  const auto above = [](double g) { return std::abs(g) > 1e-4; };
  for (const std::size_t begin : {std::size_t{0}, kLm, kLm + 24}) {
    CHECK(std::any_of(gradient.begin() + static_cast<std::ptrdiff_t>(begin), gradient.end(), above));
  }
}

TEST_CASE("a router's gradient by micro-batches is that of the whole batch, though they differ in positions", "[nn]") {
  const TrainState router = router_of(tiny_model(), kPaths);
  const RouterBatch batch = made_up_router_batch(tiny_model(), kPaths, {3});
  const std::vector<double> whole = gradient_of(batch, router, kPaths);
  for (const std::int64_t parts : {2, 3, 4, 7}) {
    CHECK(farthest(whole, gradient_of(batch, router, kPaths, parts)) < 1e-6);
  }
}

TEST_CASE("a row of padding and padding behind a document change neither a router's logits nor its gradient", "[nn]") {
  const TrainState router = router_of(tiny_model(), kPaths);
  const testing::Document document = made_up_document(9, 11, 5);
  const auto rule = [](const Batch& batch, std::size_t at) { return batch.tokens[at] % kPaths; };
  const RouterBatch bare = testing::with_paths(pack({{document}}, 9, 3), rule);
  const RouterBatch padded = testing::with_paths(pack({{}, {document}}, 16, 3), rule);
  for (const std::int64_t parts : {1, 2}) {
    CHECK(farthest(gradient_of(bare, router, kPaths), gradient_of(padded, router, kPaths, parts)) < 1e-5);
  }
  const auto trainer = trainer_for(tiny_model());
  const auto alone = trainer->router_logits(router.parameters, kPaths, bare.batch, std::vector<std::int64_t>{8});
  const auto behind = trainer->router_logits(router.parameters, kPaths, padded.batch, std::vector<std::int64_t>{24});
  for (std::size_t path = 0; path < 3; ++path) CHECK(alone[path] == Approx(behind[path]).epsilon(1e-5));
}

TEST_CASE("a router's loss and logits in bf16 are those of fp32 within 2 %", "[nn]") {
  const TrainState router = router_of(tiny_model(), kPaths);
  const RouterBatch batch = made_up_router_batch(tiny_model(), kPaths, {3});
  const InnerOptions bf16{.beta1 = 0.5, .clip = 0, .precision = "bf16"};
  const double loss = step_on(batch, router, kPaths).report.last_loss;
  const Stepped other = step_on(batch, router, kPaths, bf16);
  CHECK(other.report.last_loss == Approx(loss).epsilon(0.02));
  CHECK(other.report.last_loss != loss);
  const std::vector<double> gradient = gradient_of(batch, router, kPaths);
  std::vector<double> rounded;
  for (const float moment : other.state.first_moment) rounded.push_back(2.0 * static_cast<double>(moment));
  const double largest = *std::max_element(gradient.begin(), gradient.end());
  CHECK(farthest(gradient, rounded) < 0.05 * largest);
}

TEST_CASE("vectors, paths and positions that do not fit a router are bugs of the caller", "[nn]") {
  const TrainState router = router_of(tiny_model(), kPaths);
  const auto trainer = trainer_for(tiny_model());
  const RouterBatch batch = made_up_router_batch(tiny_model(), kPaths, {3});
  using Positions = std::vector<std::int64_t>;
  CHECK_THROWS_AS(trainer->router_logits(router.parameters, 2, batch.batch, Positions{1}), std::logic_error);
  CHECK_THROWS_AS(trainer->router_logits(router.parameters, kPaths, batch.batch, Positions{64}), std::logic_error);
  CHECK_THROWS_AS(trainer->router_logits(router.parameters, kPaths, batch.batch, Positions{-1}), std::logic_error);
  CHECK_THROWS_AS(step_on(batch, router, 4), std::logic_error);
  RouterBatch bad = batch;
  bad.paths[5] = kPaths;
  CHECK_THROWS_AS(step_on(bad, router, kPaths), std::logic_error);
  bad.paths.pop_back();
  CHECK_THROWS_AS(step_on(bad, router, kPaths, {}, 2), std::logic_error);
  bad.paths.assign(64, Batch::kNoTarget);
  CHECK_THROWS_AS(step_on(bad, router, kPaths), std::logic_error);
}

}  // namespace
}  // namespace dipaco
