#include <catch2/catch.hpp>
#include <set>

#include "core/base/error.hpp"
#include "core/eval/continuation.hpp"
#include "tests/eval/table_trainer.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

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

  ShardReader reader(std::int64_t rows, std::int64_t length) const {
    return {tokens, all_documents(*tokens), {.rows = rows, .length = length, .prefix = 2}};
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
  const RouterBatch whole = router_batch(targets, made.reader(1, 6), InnerSteps{0});
  CHECK(whole.batch.tokens == std::vector<std::int32_t>{3, 3, 0, 1, 2, 3});
  CHECK(whole.paths == std::vector<std::int32_t>{kNone, 0, 1, 0, 1, kNone});
  // Rows of four: 3 3 0 1, and 2 3 with the document's first two behind them.
  const RouterBatch cut = router_batch(targets, made.reader(2, 4), InnerSteps{0});
  std::set<std::vector<std::int32_t>> rows;
  for (std::ptrdiff_t row = 0; row < 2; ++row)
    rows.emplace(cut.paths.begin() + 4 * row, cut.paths.begin() + 4 * row + 4);
  CHECK(rows == std::set<std::vector<std::int32_t>>{{kNone, 0, 1, 0}, {1, kNone, kNone, 0}});
}

TEST_CASE("a router sees all tokens of its documents, those far behind their starts too", "[eval]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "tokens.bin", documents_of({40, 5, 90}, 60), 60, 2);
  ContinuationTargets targets;
  for (std::int32_t i = 0; i < 3; ++i) {
    const std::size_t count = tokens->document(DocumentId{static_cast<std::uint32_t>(i)}).tokens;
    targets.places.emplace(DocumentId{static_cast<std::uint32_t>(i)}, targets.paths.size());
    for (std::vector<std::int32_t> paths; paths.empty(); targets.paths.push_back(paths)) {
      for (std::size_t j = 0; j < count; ++j) paths.push_back(1000 * i + static_cast<std::int32_t>(j));
    }
  }
  const ShardReader reader(tokens, all_documents(*tokens), {.rows = 3, .length = 10, .prefix = 2, .seed = 7});
  std::set<std::int32_t> seen;
  for (std::int64_t step = 0; step < (reader.rows_per_epoch() + 2) / 3; ++step) {
    const RouterBatch batch = router_batch(targets, reader, InnerSteps{step});
    CHECK(batch.paths == router_batch(targets, reader, InnerSteps{step}).paths);
    seen.insert(batch.paths.begin(), batch.paths.end());
  }
  seen.erase(kNone);
  CHECK(seen.size() == 39 + 4 + 89);  // a document's first token has none before it
}

}  // namespace
}  // namespace dipaco
