#include <catch2/catch.hpp>
#include <set>

#include "core/base/error.hpp"
#include "core/eval/continuation.hpp"
#include "tests/eval/table_trainer.hpp"
#include "tests/support/made_up_text.hpp"

namespace dipaco {
namespace {

using testing::all_documents;
using testing::documents_of;
using testing::TableTrainer;

constexpr std::int32_t kNone = Batch::kNoTarget;

/// One document of six tokens, 0, 1, 2 and 3 behind a prefix of two, and two paths.
struct SixTokens {
  ContinuationTargets targets(std::int64_t look_ahead) const {
    const PathSet set{.trainer = trainer,
                      .paths = 2,
                      .parameters =
                          [](PathId path) {
                            return path == PathId{0} ? std::vector<float>{1, 5, 1, 5} : std::vector<float>{3, 3, 3, 1};
                          },
                      .tokens = *tokens,
                      .score = {.sequence = 4, .prefix = 2}};
    return continuation_targets(set, all_documents(*tokens), look_ahead);
  }

  TemporaryFolder folder;
  std::shared_ptr<const TokenFile> tokens = made_up_tokens(folder.path() / "tokens.bin", {{3, 3, 0, 1, 2, 3}}, 4, 2);
  TableTrainer trainer;
};

TEST_CASE("a target is the path with the least loss over the tokens ahead, worked by hand", "[eval]") {
  const SixTokens made;
  // Losses of tokens 2 to 5: 1 5 1 5 under path 0 and 3 3 3 1 under path 1.
  CHECK(made.targets(1).paths[0] == std::vector<std::int32_t>{kNone, kNone, 0, 1, 0, 1});
  // Over two tokens: 6 6 6 5 and 6 6 4 1; of equal sums the lower path's counts.
  CHECK(made.targets(2).paths[0] == std::vector<std::int32_t>{kNone, kNone, 0, 0, 1, 1});
  // To the document's end: 12 11 6 5 and 10 7 4 1.
  CHECK(made.targets(100).paths[0] == std::vector<std::int32_t>{kNone, kNone, 1, 1, 1, 1});
}

TEST_CASE("a router learns at each position the path of the token behind it", "[eval]") {
  const SixTokens made;
  const ContinuationTargets targets = made.targets(1);
  const RouterBatch whole = router_batch(*made.tokens, targets, {.rows = 1, .length = 6, .prefix = 2}, InnerSteps{0});
  CHECK(whole.batch.tokens == std::vector<std::int32_t>{3, 3, 0, 1, 2, 3});
  CHECK(whole.paths == std::vector<std::int32_t>{kNone, 0, 1, 0, 1, kNone});
  const RouterBatch cut = router_batch(*made.tokens, targets, {.rows = 2, .length = 4, .prefix = 2}, InnerSteps{0});
  CHECK(cut.batch.rows == 2);
  CHECK(cut.paths == std::vector<std::int32_t>{kNone, 0, 1, 0, 1, kNone, kNone, kNone});
}

TEST_CASE("a router batch is a function of its step, and its rows are filled by different documents", "[eval]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "tokens.bin", documents_of(std::vector<int>(40, 5), 60), 60, 2);
  ContinuationTargets targets{.documents = all_documents(*tokens), .paths = {}};
  for (std::int32_t i = 0; i < 40; ++i) targets.paths.push_back({kNone, kNone, i, i, i});
  const ReaderOptions options{.rows = 3, .length = 10, .prefix = 2, .seed = 7};
  std::set<std::vector<std::int32_t>> batches;
  for (std::int64_t step = 0; step < 20; ++step) {
    const RouterBatch batch = router_batch(*tokens, targets, options, InnerSteps{step});
    CHECK(batch.paths == router_batch(*tokens, targets, options, InnerSteps{step}).paths);
    CHECK(batch.batch.rows == 3);
    std::multiset<std::int32_t> drawn(batch.paths.begin(), batch.paths.end());
    drawn.erase(kNone);
    CHECK(drawn.size() == 18);  // six documents with three positions each
    for (const std::int32_t document : drawn) CHECK(drawn.count(document) == 3);
    batches.insert(batch.paths);
  }
  CHECK(batches.size() == 20);
}

TEST_CASE("few router documents give the rows that they fill", "[eval]") {
  const SixTokens made;
  const RouterBatch batch =
      router_batch(*made.tokens, made.targets(1), {.rows = 8, .length = 6, .prefix = 2}, InnerSteps{3});
  CHECK(batch.batch.rows == 1);
}

}  // namespace
}  // namespace dipaco
