#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "tests/nn/made_up.hpp"
#include "tests/nn/reference.hpp"

namespace dipaco {
namespace {

using testing::Document;
using testing::made_up_document;
using testing::pack;
using testing::Reference;
using testing::start_of;
using testing::tiny_model;
using testing::train;
using testing::trainer_for;

/// AdamW leaves (1 - beta1) x gradient in an empty first moment.
std::vector<double> gradient_of(const ModelOptions& model, const TrainState& start, const Batch& batch,
                                const InnerPlan& plan = {.count = {1}, .total = {10}}, InnerOptions inner = {}) {
  inner.beta1 = 0.5;
  inner.clip = 0;
  TrainState state = start;
  train(
      *trainer_for(model, inner), state, [&](InnerSteps /*step*/) { return batch; }, plan);
  std::vector<double> gradient;
  for (const float moment : state.first_moment) gradient.push_back(2.0 * static_cast<double>(moment));
  return gradient;
}

double loss_of(const ModelOptions& model, const TrainState& start, const Batch& batch) {
  TrainState state = start;
  return train(*trainer_for(model), state, [&](InnerSteps /*step*/) { return batch; }, {.count = {1}, .total = {10}})
      .last_loss;
}

Batch made_up_batch() { return testing::made_up_batch(tiny_model(), {3}); }

TEST_CASE("a step's loss is that of the model written in plain loops", "[nn]") {
  const TrainState start = start_of(tiny_model());
  const std::vector<double> parameters(start.parameters.begin(), start.parameters.end());
  const Reference reference(tiny_model(), parameters);
  CHECK(loss_of(tiny_model(), start, made_up_batch()) == Approx(reference.mean_loss(made_up_batch())).epsilon(1e-5));
}

TEST_CASE("the gradient of every parameter is the difference quotient of the model written in plain loops", "[nn]") {
  const ModelOptions model = tiny_model();
  const TrainState start = start_of(model);
  const Batch batch = made_up_batch();
  const std::vector<double> gradient = gradient_of(model, start, batch);
  const std::vector<double> parameters(start.parameters.begin(), start.parameters.end());
  constexpr double kStep = 1e-5;
  double worst = 0;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto moved = [&](double by) {
      std::vector<double> other = parameters;
      other[k] += by;
      return Reference(model, other).mean_loss(batch);
    };
    const double quotient = (moved(kStep) - moved(-kStep)) / (2 * kStep);
    worst = std::max(worst, std::abs(gradient[k] - quotient));
  }
  CHECK(worst < 2e-6);
}

TEST_CASE("the gradient by micro-batches is that of the whole batch, though they differ in positions", "[nn]") {
  const TrainState start = start_of(tiny_model());
  const std::vector<double> whole = gradient_of(tiny_model(), start, made_up_batch());
  for (const std::int64_t parts : {2, 3, 4, 7}) {
    const std::vector<double> sum = gradient_of(tiny_model(), start, made_up_batch(),
                                                {.count = {1}, .total = {10}, .micro_batches = parts, .threads = 2});
    double worst = 0;
    for (std::size_t k = 0; k < whole.size(); ++k) worst = std::max(worst, std::abs(whole[k] - sum[k]));
    CHECK(worst < 1e-6);
  }
}

TEST_CASE("rows that go through a few at a time have the loss and the gradient of all at once", "[nn]") {
  const ModelOptions model = tiny_model();
  const TrainState start = start_of(model);
  const std::vector<double> whole = gradient_of(model, start, made_up_batch());
  for (const std::int64_t rows : {1, 2, 3, 4, 9}) {
    const InnerPlan plan{.count = {1}, .total = {10}};
    const std::vector<double> sum = gradient_of(model, start, made_up_batch(), plan, {.micro_batch = rows});
    double worst = 0;
    for (std::size_t k = 0; k < whole.size(); ++k) worst = std::max(worst, std::abs(whole[k] - sum[k]));
    CHECK(worst < 1e-6);
    // Threads work on several of them at a time, and change no bit.
    const InnerPlan by_threads{.count = {1}, .total = {10}, .micro_batches = 2, .threads = 2};
    const InnerPlan by_one{.count = {1}, .total = {10}, .micro_batches = 2};
    CHECK(gradient_of(model, start, made_up_batch(), by_threads, {.micro_batch = rows}) ==
          gradient_of(model, start, made_up_batch(), by_one, {.micro_batch = rows}));
    TrainState state = start;
    const auto source = [](InnerSteps /*step*/) { return made_up_batch(); };
    const double loss = train(*trainer_for(model, {.micro_batch = rows}), state, source, plan).last_loss;
    CHECK(loss == Approx(loss_of(model, start, made_up_batch())).epsilon(1e-6));
  }
}

TEST_CASE("what is computed again on the way back has the bits of what was kept", "[nn]") {
  const TrainState start = start_of(tiny_model());
  for (const char* const precision : {"fp32", "bf16"}) {
    const auto gradient = [&](bool recompute) {
      return gradient_of(tiny_model(), start, made_up_batch(), {.count = {1}, .total = {10}},
                         {.precision = precision, .recompute = recompute});
    };
    CHECK(gradient(true) == gradient(false));
  }
}

TEST_CASE("two documents in one row have the gradient that they have in rows of their own", "[nn]") {
  const Document a = made_up_document(9, 11, 1), b = made_up_document(7, 11, 2);
  const TrainState start = start_of(tiny_model());
  const std::vector<double> one = gradient_of(tiny_model(), start, pack({{a, b}}, 16, 3));
  const std::vector<double> two = gradient_of(tiny_model(), start, pack({{a}, {b}}, 16, 3));
  double worst = 0;
  for (std::size_t k = 0; k < one.size(); ++k) worst = std::max(worst, std::abs(one[k] - two[k]));
  CHECK(worst < 1e-5);
}

TEST_CASE("documents told apart by a mask have the gradient that they have one by one", "[nn]") {
  ModelOptions model = tiny_model();
  const Document a = made_up_document(9, 11, 1), b = made_up_document(5, 11, 2);
  for (const std::int64_t width : {12, 16}) {  // below a row's 16 positions there is no mask
    model.mlp = width;
    const TrainState start = start_of(model);
    const std::vector<double> one = gradient_of(model, start, pack({{a, b}}, 16, 3));
    const std::vector<double> two = gradient_of(model, start, pack({{a}, {b}}, 9, 3));
    double worst = 0;
    for (std::size_t k = 0; k < one.size(); ++k) worst = std::max(worst, std::abs(one[k] - two[k]));
    CHECK(worst < 1e-5);
  }
}

TEST_CASE("the prefix is context and not in the loss: §2.4", "[nn]") {
  const ModelOptions model = tiny_model();
  const TrainState start = start_of(model);
  Document document = made_up_document(16, 11, 5);
  const Batch batch = pack({{document}}, 16, 4);
  // What counts of the batch's targets is that those of the prefix are below 0, not how far.
  Batch other = batch;
  other.targets[0] = other.targets[1] = -7;
  CHECK(gradient_of(model, start, batch) == gradient_of(model, start, other));
  // With them in the loss the gradient is another.
  CHECK(gradient_of(model, start, batch) != gradient_of(model, start, pack({{document}}, 16, 1)));
  // The prefix's tokens are read.
  document[1] = (document[1] + 1) % 11;
  CHECK(loss_of(model, start, batch) != loss_of(model, start, pack({{document}}, 16, 4)));
}

TEST_CASE("padding changes neither loss nor gradient", "[nn]") {
  const Document document = made_up_document(9, 11, 5);
  const TrainState start = start_of(tiny_model());
  const std::vector<double> bare = gradient_of(tiny_model(), start, pack({{document}}, 9, 3));
  const std::vector<double> padded = gradient_of(tiny_model(), start, pack({{document}}, 16, 3));
  double worst = 0;
  for (std::size_t k = 0; k < bare.size(); ++k) worst = std::max(worst, std::abs(bare[k] - padded[k]));
  CHECK(worst < 1e-6);
}

TEST_CASE("a vocabulary that takes several passes over the head has the loss of the model in plain loops", "[nn]") {
  ModelOptions model = tiny_model();
  model.vocabulary = 9000;
  model.sequence = 300;  // 297 positions in the loss; the head reads 256 rows of this vocabulary at a time
  const std::vector<Document> row{made_up_document(300, model.vocabulary, 1)};
  const Batch batch = pack({row}, 300, 3);
  const TrainState start = start_of(model);
  const std::vector<double> parameters(start.parameters.begin(), start.parameters.end());
  CHECK(loss_of(model, start, batch) == Approx(Reference(model, parameters).mean_loss(batch)).epsilon(1e-5));
}

TEST_CASE("bf16 has the loss of fp32 within 2 %", "[nn]") {
  const TrainState start = start_of(tiny_model());
  TrainState state = start;
  const auto trainer = trainer_for(tiny_model(), {.precision = "bf16"});
  const InnerReport report =
      train(*trainer, state, [](InnerSteps /*step*/) { return made_up_batch(); }, {.count = {1}, .total = {10}});
  CHECK(report.last_loss == Approx(loss_of(tiny_model(), start, made_up_batch())).epsilon(0.02));
  CHECK(report.last_loss != loss_of(tiny_model(), start, made_up_batch()));
}

TEST_CASE("so it has in long rows, whose attention is in bf16 on a CPU, too", "[nn]") {
  ModelOptions model = tiny_model();
  model.sequence = 1000;
  const Batch batch = pack({{made_up_document(1000, model.vocabulary, 1)}}, 1000, 3);
  const TrainState start = start_of(model);
  TrainState state = start;
  const auto trainer = trainer_for(model, {.precision = "bf16"});
  const InnerReport report =
      train(*trainer, state, [&](InnerSteps /*step*/) { return batch; }, {.count = {1}, .total = {10}});
  CHECK(report.last_loss == Approx(loss_of(model, start, batch)).epsilon(0.02));
}

TEST_CASE("rows that go through the operators some at a time have the gradient of those that go at once", "[nn]") {
  ModelOptions model = tiny_model();
  model.head_size = 64;
  model.mlp = 300;
  model.sequence = 100;  // of a row 51,200 numbers of queries, keys and values, and 60,000 of the MLP: below 65,536
  std::vector<std::vector<Document>> rows;
  for (std::uint64_t row = 0; row < 8; ++row) rows.push_back({made_up_document(100, model.vocabulary, row)});
  const Batch batch = pack(rows, 100, 3);
  const TrainState start = start_of(model);
  for (const auto& [precision, most] : {std::pair("fp32", 1e-5), std::pair("bf16", 2e-2)}) {
    const auto gradient = [&](std::int64_t micro_batch) {
      const InnerOptions inner{.clip = 0, .precision = precision, .micro_batch = micro_batch};
      return trainer_for(model, inner)->gradient(start.parameters, batch, {}).values;
    };
    const std::vector<float> at_once = gradient(1), some = gradient(0);
    double apart = 0, length = 0;
    for (std::size_t k = 0; k < some.size(); ++k) {
      apart += std::pow(some[k] - at_once[k], 2);
      length += std::pow(at_once[k], 2);
    }
    CHECK(std::sqrt(apart / length) < most);
  }
}

}  // namespace
}  // namespace dipaco
