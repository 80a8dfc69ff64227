#include <catch2/catch.hpp>
#include <cmath>

#include "core/base/error.hpp"
#include "core/eval/routed.hpp"
#include "tests/eval/table_trainer.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

using testing::all_documents;
using testing::TableTrainer;

TEST_CASE("each document is scored by its own path, and paths without documents are not loaded", "[eval]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "tokens.bin", {{0, 1, 1}, {0, 1, 2, 2}, {0, 2}}, 3, 1);
  const TableTrainer trainer;
  std::vector<std::int32_t> loaded;
  std::vector<std::int32_t> done;
  const PathSet set{.trainer = trainer,
                    .paths = 4,
                    .parameters =
                        [&](PathId path) {
                          loaded.push_back(index(path));
                          return std::vector<float>(3, static_cast<float>(index(path)));
                        },
                    .tokens = *tokens,
                    .score = {.sequence = 8, .prefix = 1},
                    .done = [&](PathId path) { done.push_back(index(path)); }};
  const std::vector<PathId> routes{PathId{3}, PathId{1}, PathId{3}};
  // A token under path p costs p: 2 x 3, 3 x 1 and 1 x 3 nats.
  const auto [score, nats] = score_on_paths(set, all_documents(*tokens), routes);
  CHECK(score.nats == 12);
  CHECK(score.tokens == 6);
  CHECK(score.documents == 3);
  CHECK(loaded == std::vector<std::int32_t>{1, 3});
  CHECK(done == std::vector<std::int32_t>{0, 1, 2, 3});
  CHECK(nats == std::vector<double>{6, 3, 3});
}

TEST_CASE("the shares of paths and their entropy are those worked by hand", "[eval]") {
  const std::vector<PathId> routes{PathId{0}, PathId{2}, PathId{0}, PathId{1}};
  const RouteShares shares = route_shares(routes, 4);
  CHECK(shares.documents == std::vector<std::int64_t>{2, 1, 1, 0});
  CHECK(shares.share(0) == 0.5);
  CHECK(shares.share(3) == 0);
  // 1/2 ln 2 + 2 x 1/4 ln 4 = 1.5 ln 2
  CHECK(shares.entropy() == Approx(1.5 * std::log(2.0)));
  CHECK(shares.effective_paths() == Approx(std::pow(2.0, 1.5)));
  CHECK(route_shares(std::vector<PathId>(5, PathId{1}), 2).effective_paths() == 1);
  CHECK_THROWS_AS(route_shares({}, 2).share(0), std::logic_error);
}

TEST_CASE("scores by domain are sums over each domain's documents", "[eval]") {
  const TemporaryFolder folder;
  TokenFileWriter writer(folder.path() / "tokens.bin", 4, 1);
  for (const char* domain : {"a", "b", "a"}) {
    const std::vector<std::int32_t> some{0, 1, 2};
    writer.add(some, std::vector<std::uint32_t>{1, 2, 2}, 0, 2, domain, false);
  }
  writer.finish();
  const TokenFile tokens = TokenFile::open(folder.path() / "tokens.bin");
  const auto parts = score_by_domain(tokens, all_documents(tokens), {1.0, 2.0, 5.0});
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].documents == 2);
  CHECK(parts[0].tokens == 4);
  CHECK(parts[0].bytes == 2);
  CHECK(parts[0].perplexity() == Approx(std::exp(6.0 / 4)));
  CHECK(parts[1].perplexity() == Approx(std::exp(2.0 / 2)));
}

}  // namespace
}  // namespace dipaco
