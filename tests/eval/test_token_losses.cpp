#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"
#include "core/eval/token_losses.hpp"
#include "tests/eval/table_trainer.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

using testing::all_documents;
using testing::documents_of;
using testing::TableTrainer;

std::vector<float> table(int vocabulary) {
  std::vector<float> losses;
  for (int token = 0; token < vocabulary; ++token) losses.push_back(1.0F + 0.25F * static_cast<float>(token));
  return losses;
}

TEST_CASE("each token's loss stands at its place in the document, however documents are cut", "[eval]") {
  const TemporaryFolder folder;
  const auto documents = documents_of({3, 9, 4, 24, 8, 17, 16}, 11);
  const auto tokens = made_up_tokens(folder.path() / "tokens.bin", documents, 11, 2);
  const TableTrainer trainer;
  const auto parameters = table(11);
  for (const std::int64_t sequence : {2, 3, 4, 8, 100}) {
    INFO("rows of " << sequence);
    const auto losses = token_losses(trainer, parameters, *tokens, all_documents(*tokens),
                                     {.rows = 2, .sequence = sequence, .prefix = 2, .threads = 3});
    REQUIRE(losses.size() == documents.size());
    for (std::size_t i = 0; i < documents.size(); ++i) {
      REQUIRE(losses[i].size() == documents[i].size());
      for (std::size_t j = 0; j < documents[i].size(); ++j) {
        INFO("document " << i << ", token " << j);
        CHECK(losses[i][j] == (j < 2 ? 0.0F : parameters[static_cast<std::size_t>(documents[i][j])]));
      }
    }
  }
}

TEST_CASE("a document's token losses add up to its score", "[eval]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "tokens.bin", documents_of({5, 33, 12, 8, 16}, 60), 60, 4);
  const ToyTrainer trainer;
  const std::vector<float> parameters{0.5F, -1.0F, 2.0F};
  const ScoreOptions options{.rows = 3, .sequence = 8, .prefix = 4};
  const auto losses = token_losses(trainer, parameters, *tokens, all_documents(*tokens), options);
  const auto nats = score_each_document(trainer, parameters, *tokens, all_documents(*tokens), options);
  for (std::size_t i = 0; i < nats.size(); ++i) {
    CHECK(std::accumulate(losses[i].begin(), losses[i].end(), 0.0) == Approx(nats[i]));
  }
}

TEST_CASE("a document's first tokens score as much as in all of it", "[eval]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "tokens.bin", documents_of({5, 33, 12, 8, 16}, 11), 11, 4);
  const TableTrainer trainer;
  const auto parameters = table(11);
  ScoreOptions options{.rows = 3, .sequence = 8, .prefix = 4};
  const auto losses = token_losses(trainer, parameters, *tokens, all_documents(*tokens), options);
  options.most = 12;
  const auto nats = score_each_document(trainer, parameters, *tokens, all_documents(*tokens), options);
  for (std::size_t i = 0; i < nats.size(); ++i) {
    // The twelfth foretells the thirteenth.
    const auto end = losses[i].begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(13, losses[i].size()));
    CHECK(std::accumulate(losses[i].begin(), end, 0.0) == Approx(nats[i]));
  }
  CHECK_THROWS_AS(score_documents(trainer, parameters, *tokens, all_documents(*tokens), options), std::logic_error);
}

TEST_CASE("a token's loss that is not finite is an error that names the document", "[eval]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "tokens.bin", {{0, 0, 0}, {0, 0, 1}}, 2, 2);
  const std::vector<float> diverged{1.0F, std::numeric_limits<float>::infinity()};
  CHECK_THROWS_WITH(
      token_losses(TableTrainer(), diverged, *tokens, all_documents(*tokens), {.sequence = 8, .prefix = 2}),
      Catch::Contains("document 1 is not finite"));
  CHECK_THROWS_AS(
      token_losses(TableTrainer(), diverged, *tokens, {DocumentId{0}, DocumentId{0}}, {.sequence = 8, .prefix = 2}),
      std::logic_error);
}

}  // namespace
}  // namespace dipaco
