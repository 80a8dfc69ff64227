// What reads parameters without changing them: features, scores, products, description.

#include <algorithm>
#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>
#include <vector>

#include "core/trainer/segments.hpp"
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
using testing::trainer_for;

Reference reference_of(const ModelOptions& model, const TrainState& state) {
  return {model, std::vector<double>(state.parameters.begin(), state.parameters.end())};
}

/// Segments of 9, 3 | 16 | 2 tokens.
Batch three_rows() {
  return pack({{made_up_document(9, 11, 1), made_up_document(3, 11, 2)},
               {made_up_document(16, 11, 3)},
               {made_up_document(2, 11, 4)}},
              16, 3);
}

TEST_CASE("a feature is the mean of the last block's output over the segment's first positions", "[nn]") {
  const TrainState state = start_of(tiny_model());
  const Batch batch = three_rows();
  const std::vector<float> features = trainer_for(tiny_model())->features(state.parameters, batch, 4);
  const auto states = reference_of(tiny_model(), state).states(batch);
  struct Part {
    std::size_t begin, count;
  };
  // The second and the last segment are shorter than 4.
  const std::vector<Part> parts{{0, 4}, {9, 3}, {16, 4}, {32, 2}};
  REQUIRE(features.size() == parts.size() * 8);
  for (std::size_t segment = 0; segment < parts.size(); ++segment) {
    for (std::size_t k = 0; k < 8; ++k) {
      double sum = 0;
      for (std::size_t t = 0; t < parts[segment].count; ++t) sum += states[parts[segment].begin + t][k];
      CHECK(features[segment * 8 + k] ==
            Approx(sum / static_cast<double>(parts[segment].count)).epsilon(1e-4).margin(1e-5));
    }
  }
}

TEST_CASE("a score is the summed loss of a segment's positions, 0 of 0 where it has none", "[nn]") {
  const TrainState state = start_of(tiny_model());
  const Batch batch = three_rows();
  const auto losses = reference_of(tiny_model(), state).losses(batch);
  const auto scores = trainer_for(tiny_model())->scores(state.parameters, batch);
  REQUIRE(scores.size() == 4);
  const std::vector<std::size_t> ends{9, 12, 32, 34};
  const std::vector<std::int64_t> tokens{6, 0, 13, 0};
  for (std::size_t segment = 0, t = 0; segment < 4; ++segment) {
    double nats = 0;
    if (segment == 2) t = 16;
    if (segment == 3) t = 32;
    for (; t < ends[segment]; ++t) nats += losses[t];
    CHECK(scores[segment].nats == Approx(nats).epsilon(1e-5));
    CHECK(scores[segment].tokens == tokens[segment]);
  }
  CHECK((scores[1].row == 0 && scores[1].segment == 1 && scores[3].row == 2 && scores[3].segment == 0));
}

TEST_CASE("a token's score is its loss in the model in plain loops, 0 where it is not in the loss", "[nn]") {
  const TrainState state = start_of(tiny_model());
  const Batch batch = three_rows();
  const std::vector<double> losses = reference_of(tiny_model(), state).losses(batch);
  const std::vector<float> scores = trainer_for(tiny_model())->token_scores(state.parameters, batch);
  REQUIRE(scores.size() == losses.size());
  for (std::size_t t = 0; t < scores.size(); ++t) {
    if (batch.targets[t] < 0) CHECK(scores[t] == 0);
    if (batch.targets[t] >= 0) CHECK(scores[t] == Approx(losses[t]).epsilon(1e-5));
  }
}

TEST_CASE("scores are sums of token scores, bit for bit, also beside a row of padding", "[nn]") {
  const TrainState state = start_of(tiny_model());
  const auto trainer = trainer_for(tiny_model());
  const Batch batch =
      pack({{made_up_document(7, 11, 1), made_up_document(9, 11, 2)}, {}, {made_up_document(5, 11, 3)}}, 16, 3);
  const std::vector<float> tokens = trainer->token_scores(state.parameters, batch);
  const std::vector<SegmentScore> scores = trainer->scores(state.parameters, batch);
  REQUIRE(scores.size() == 3);
  struct Part {
    std::size_t begin, end;
  };
  const std::vector<Part> parts{{0, 7}, {7, 16}, {32, 37}};
  for (std::size_t segment = 0; segment < parts.size(); ++segment) {
    double nats = 0;
    for (std::size_t t = parts[segment].begin; t < parts[segment].end; ++t) nats += static_cast<double>(tokens[t]);
    CHECK(scores[segment].nats == nats);
    CHECK(nats > 0);
  }
  CHECK(std::all_of(tokens.begin() + 16, tokens.begin() + 32, [](float nats) { return nats == 0; }));
}

TEST_CASE("a batch without a position in the loss has scores of 0", "[nn]") {
  const Batch batch = pack({{made_up_document(3, 11, 1)}, {}}, 16, 3);
  const TrainState state = start_of(tiny_model());
  CHECK(trainer_for(tiny_model())->token_scores(state.parameters, batch) == std::vector<float>(32));
  const auto scores = trainer_for(tiny_model())->scores(state.parameters, batch);
  REQUIRE(scores.size() == 1);
  CHECK((scores[0].nats == 0 && scores[0].tokens == 0));
}

TEST_CASE("token scores in no segment are a bug of whoever packed the batch", "[nn]") {
  Batch batch = pack({{made_up_document(5, 11, 1)}}, 16, 3);
  batch.targets[9] = 1;  // padding
  CHECK_THROWS_AS(scores_of(batch, std::vector<float>(16)), std::logic_error);
  CHECK_THROWS_AS(scores_of(batch, std::vector<float>(15)), std::logic_error);
}

TEST_CASE("a document has the same score alone and beside another", "[nn]") {
  const TrainState state = start_of(tiny_model());
  const auto trainer = trainer_for(tiny_model());
  const Document a = made_up_document(9, 11, 1), b = made_up_document(7, 11, 2);
  const auto together = trainer->scores(state.parameters, pack({{a, b}}, 16, 3));
  const auto apart = trainer->scores(state.parameters, pack({{a}, {b}}, 16, 3));
  REQUIRE((together.size() == 2 && apart.size() == 2));
  for (std::size_t k = 0; k < 2; ++k) CHECK(together[k].nats == Approx(apart[k].nats).epsilon(1e-5));
}

TEST_CASE("rows may be longer than those of training", "[nn]") {
  const TrainState state = start_of(tiny_model());
  const Batch batch = pack({{made_up_document(40, 11, 1)}}, 40, 3);
  const auto scores = trainer_for(tiny_model())->scores(state.parameters, batch);
  double nats = 0;
  for (const double loss : reference_of(tiny_model(), state).losses(batch)) nats += loss;
  REQUIRE(scores.size() == 1);
  CHECK(scores[0].nats == Approx(nats).epsilon(1e-5));
}

TEST_CASE("reading leaves no mode set: the next steps train", "[nn]") {
  const auto trainer = trainer_for(tiny_model());
  TrainState state = start_of(tiny_model());
  TrainState other = state;
  const InnerPlan plan{.count = {2}, .total = {10}};
  testing::train(*trainer, other, testing::made_up_batches(tiny_model()), plan);
  trainer->scores(state.parameters, three_rows());
  trainer->features(state.parameters, three_rows(), 4);
  testing::train(*trainer, state, testing::made_up_batches(tiny_model()), plan);
  CHECK(testing::same_bits(state, other));
}

TEST_CASE("memory that is not there ends as it does everywhere, not as an error of LibTorch", "[nn]") {
  const std::vector<float> column(std::size_t{1}
                                  << 23U);  // its product with itself has 2^48 bytes: no process has room
  const std::int64_t n = std::ssize(column);
  CHECK_THROWS_AS(trainer_for(tiny_model())->product(column, column, {.n = n, .k = n, .d = 1}), std::bad_alloc);
}

TEST_CASE("a product is that of a's and b's rows, or of their columns", "[nn]") {
  const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, 0, 1, 1};
  // [1 2 3] . [1 0 2] = 7, [1 2 3] . [0 1 1] = 5; [4 5 6]: 16, 11
  CHECK(trainer_for(tiny_model())->product(a, b, {.n = 2, .k = 2, .d = 3}) == std::vector<float>{7, 5, 16, 11});
  // The same numbers as matrices [3, 2]: columns [1 3 5] and [2 4 6] times [1 2 1] and [0 0 1]
  CHECK(trainer_for(tiny_model())->product(a, b, {.n = 2, .k = 2, .d = 3, .transposed = true}) ==
        std::vector<float>{12, 5, 16, 6});
}

TEST_CASE("the description names library, version and device", "[nn]") {
  const std::string description = trainer_for(tiny_model())->description();
  CHECK_THAT(description, Catch::StartsWith("LibTorch 2.") && Catch::Contains(" cpu "));
  CHECK(description.size() > std::string("LibTorch 2.6.0 cpu ").size());
}

}  // namespace
}  // namespace dipaco
