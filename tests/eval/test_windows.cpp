#include <catch2/catch.hpp>
#include <numeric>

#include "core/base/error.hpp"
#include "core/eval/windows.hpp"
#include "tests/eval/table_trainer.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

using testing::all_documents;
using testing::documents_of;
using testing::TableTrainer;

/// A token t under path p costs (p + 1) x t.
std::vector<float> path_table(PathId path) {
  std::vector<float> losses(12);
  for (std::size_t token = 0; token < losses.size(); ++token) {
    losses[token] = static_cast<float>(static_cast<std::size_t>(index(path) + 1) * token);
  }
  return losses;
}

std::vector<PathId> paths(const std::vector<std::int32_t>& numbers) {
  std::vector<PathId> ids;
  for (const std::int32_t number : numbers) ids.push_back(PathId{number});
  return ids;
}

/// Documents of many lengths with their first paths, under a trainer whose losses depend on path and token.
struct Made {
  PathSet set(std::int64_t sequence) const {
    return {.trainer = trainer,
            .paths = 3,
            .parameters =
                [](PathId path) {
                  return std::vector<float>{0.5F, static_cast<float>(index(path)), -1.0F};
                },
            .tokens = *tokens,
            .score = {.rows = 2, .sequence = sequence, .prefix = 4}};
  }

  TemporaryFolder folder;
  std::shared_ptr<const TokenFile> tokens =
      made_up_tokens(folder.path() / "tokens.bin", documents_of({5, 40, 12, 8, 16, 23}, 60), 60, 4);
  std::vector<DocumentId> documents = all_documents(*tokens);
  std::vector<PathId> first = paths({0, 2, 1, 1, 0, 2});
  ToyTrainer trainer;
};

TEST_CASE("boundaries lie a window apart behind the prefix, and none behind the last token", "[eval]") {
  CHECK(boundaries(12, 2, 3) == std::vector<std::int64_t>{5, 8, 11});
  CHECK(boundaries(11, 2, 3) == std::vector<std::int64_t>{5, 8});
  CHECK(boundaries(12, 2, 10).empty());
  CHECK(boundaries(2, 2, 1).empty());
}

TEST_CASE("switches, recomputed positions and losses are those worked by hand", "[eval]") {
  const TemporaryFolder folder;
  std::vector<std::int32_t> counting(12);
  std::iota(counting.begin(), counting.end(), 0);
  const auto tokens = made_up_tokens(folder.path() / "tokens.bin", {counting}, 12, 2);
  const TableTrainer trainer;
  const PathSet set{.trainer = trainer,
                    .paths = 2,
                    .parameters = path_table,
                    .tokens = *tokens,
                    .score = {.rows = 2, .sequence = 8, .prefix = 2}};
  // Token j is j. The router is asked at tokens 4, 7 and 10, the last ones before boundaries 5, 8 and 11, and says
  // their parity: 0, 1, 0. The document router said 1.
  const WindowRoutes routes =
      route_windows({trainer, {}, 2}, *tokens, all_documents(*tokens), paths({1}), 3, set.score);
  REQUIRE(routes.paths.size() == 1);
  CHECK(routes.paths[0] == paths({1, 0, 1, 0}));
  const WindowScore score = score_windows(set, all_documents(*tokens), routes);
  CHECK(score.switches == 3);
  // Rows of 8 begin at tokens 0 and 8: before positions 4 and 7 lie 4 and 7 others, before position 10 positions 8, 9.
  CHECK(score.recomputed == 4 + 7 + 2);
  CHECK(score.positions == 11);
  CHECK(routes.positions == 8 + 7);  // from 0 to token 7, the last that is asked there, and from 4 to 10
  // Path 1 has tokens 2 to 4 and 8 to 10, path 0 has 5 to 7 and 11.
  CHECK(score.total.nats == 2 * (2 + 3 + 4) + (5 + 6 + 7) + 2 * (8 + 9 + 10) + 11);
  CHECK(score.total.tokens == 10);
  CHECK(score.total.bytes == 10);
  CHECK(score.nats == std::vector<double>{101});
}

TEST_CASE("a switch at the begin of a row has no context to run again", "[eval]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "tokens.bin", {{0, 0, 0, 0, 1, 0, 0}}, 2, 2);
  const TableTrainer trainer;
  const PathSet set{.trainer = trainer,
                    .paths = 2,
                    .parameters = path_table,
                    .tokens = *tokens,
                    .score = {.sequence = 4, .prefix = 2}};
  // Boundary 5; position 4, which is asked, is the first of the second row.
  const auto routes = route_windows({trainer, {}, 2}, *tokens, all_documents(*tokens), paths({0}), 3, set.score);
  const WindowScore score = score_windows(set, all_documents(*tokens), routes);
  CHECK(score.switches == 1);
  CHECK(score.recomputed == 0);
  CHECK(routes.positions == 3);  // from token 2 on
}

/// Chooses the path whose number is how many tokens it has read, less one.
class CountingRouter final : public ToyTrainer {
 public:
  std::vector<float> router_logits(std::span<const float> /*router*/, std::int32_t path_count, const Batch& batch,
                                   std::span<const std::int64_t> positions) const override {
    std::vector<float> logits(positions.size() * static_cast<std::size_t>(path_count));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const std::int32_t read = batch.positions[static_cast<std::size_t>(positions[i])];
      logits[i * static_cast<std::size_t>(path_count) + static_cast<std::size_t>(read)] = 1;
    }
    return logits;
  }
};

TEST_CASE("the router has read half a row at least when it is asked, or all there is", "[eval]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "tokens.bin", {std::vector<std::int32_t>(30)}, 2, 2);
  const CountingRouter router;
  for (const std::int64_t sequence : {8, 9, 30}) {
    const auto routes = route_windows({router, {}, 30}, *tokens, all_documents(*tokens), paths({0}), 1,
                                      {.sequence = sequence, .prefix = 2});
    REQUIRE(routes.paths[0].size() == 28);
    const std::int64_t half = sequence / 2;
    for (std::size_t chunk = 1; chunk < routes.paths[0].size(); ++chunk) {
      const auto last = static_cast<std::int64_t>(chunk) + 1;  // token that is asked: boundary 2 + chunk, less 1
      const std::int64_t read = index(routes.paths[0][chunk]) + 1;
      CHECK(read <= sequence);
      CHECK(read >= std::min(last + 1, half + 1));
    }
  }
}

TEST_CASE("with a window as long as the longest document it is routing once", "[eval]") {
  const Made made;
  const TableTrainer router;
  for (const std::int64_t sequence : {8, 64}) {
    const PathSet set = made.set(sequence);
    const auto routes = route_windows({router, {}, 3}, *made.tokens, made.documents, made.first, 40, set.score);
    const WindowScore windows = score_windows(set, made.documents, routes);
    const Score once = score_on_paths(set, made.documents, made.first).total;
    CHECK(windows.switches == 0);
    CHECK(windows.recomputed == 0);
    CHECK(routes.positions == 0);
    CHECK(windows.total.nats == Approx(once.nats));
    CHECK(windows.total.tokens == once.tokens);
    CHECK(windows.total.bytes == once.bytes);
    CHECK(windows.total.documents == once.documents);
  }
}

TEST_CASE("a router that stays with each document's first path is routing once, whatever the window", "[eval]") {
  const Made made;
  const PathSet set = made.set(8);
  const auto once = score_on_paths(set, made.documents, made.first).nats;
  for (const std::int64_t window : {1, 3, 16}) {
    WindowRoutes routes{.window = window, .paths = {}};
    for (std::size_t i = 0; i < made.documents.size(); ++i) {
      const auto at = boundaries(made.tokens->document(made.documents[i]).tokens, 4, window);
      routes.paths.emplace_back(at.size() + 1, made.first[i]);
    }
    const WindowScore windows = score_windows(set, made.documents, routes);
    CHECK(windows.switches == 0);
    for (std::size_t i = 0; i < once.size(); ++i) CHECK(windows.nats[i] == Approx(once[i]));
  }
}

TEST_CASE("paths that answer alike make every routing alike, and threads change no route", "[eval]") {
  const Made made;
  PathSet set = made.set(8);
  const TableTrainer router;
  auto routes = route_windows({router, {}, 3}, *made.tokens, made.documents, made.first, 2, set.score);
  set.score.threads = 3;
  CHECK(route_windows({router, {}, 3}, *made.tokens, made.documents, made.first, 2, set.score).paths == routes.paths);
  set.parameters = [](PathId) { return std::vector<float>{0.5F, 2.0F, -1.0F}; };
  const WindowScore windows = score_windows(set, made.documents, routes);
  CHECK(windows.switches > 0);
  CHECK(windows.total.nats == Approx(score_on_paths(set, made.documents, made.first).total.nats));
  routes.paths[0].emplace_back(PathId{0});
  CHECK_THROWS_AS(score_windows(set, made.documents, routes), std::logic_error);
}

}  // namespace
}  // namespace dipaco
