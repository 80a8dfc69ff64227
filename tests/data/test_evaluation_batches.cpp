#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "core/data/shard_reader.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

using Ints = std::vector<std::int32_t>;
constexpr std::int32_t kNone = Batch::kNoTarget;

Ints counting(std::int32_t first, std::size_t count) {
  Ints tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

/// Per document the (token, target) pairs of its positions, by token.
using Pairs = std::set<std::pair<std::int32_t, std::int32_t>>;
std::map<std::uint32_t, Pairs> positions_of_documents(const std::vector<EvaluationBatch>& batches) {
  std::map<std::uint32_t, Pairs> found;
  for (const auto& [batch, pieces] : batches) {
    for (const EvaluationPiece& piece : pieces) {
      for (std::int64_t i = piece.row * batch.length; i < (piece.row + 1) * batch.length; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (batch.segments[at] != piece.segment) continue;
        CHECK(found[index(piece.document)].emplace(batch.tokens[at], batch.targets[at]).second);
      }
    }
  }
  return found;
}

}  // namespace

TEST_CASE("evaluation packs whole pieces first-fit, worked by hand", "[data]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "t", {counting(10, 7), counting(20, 2), counting(30, 3)}, 100, 0);
  // Rows of 5: 10..14 fills row 0; 15 16 opens row 1 and takes 20 21 in; 30..32 needs row 2.
  const auto batches = pack_for_evaluation(*tokens, {DocumentId{0}, DocumentId{1}, DocumentId{2}}, 2, 5, 2);
  REQUIRE(batches.size() == 2);
  CHECK(batches[0].batch.tokens == Ints{10, 11, 12, 13, 14, 15, 16, 20, 21, 0});
  CHECK(batches[0].batch.targets == Ints{kNone, 12, 13, 14, 15, 16, kNone, kNone, kNone, kNone});
  CHECK(batches[0].batch.segments == Ints{0, 0, 0, 0, 0, 0, 0, 1, 1, Batch::kPadding});
  CHECK(batches[0].batch.positions == Ints{0, 1, 2, 3, 4, 0, 1, 0, 1, 0});
  REQUIRE(batches[0].pieces.size() == 3);
  CHECK(batches[0].pieces[1].row == 1);
  CHECK(batches[0].pieces[1].segment == 0);
  CHECK(batches[0].pieces[1].document == DocumentId{0});
  CHECK(batches[0].pieces[2].document == DocumentId{1});
  CHECK(batches[1].batch.rows == 1);
  CHECK(batches[1].batch.tokens == Ints{30, 31, 32, 0, 0});
  CHECK(batches[1].batch.targets == Ints{kNone, 32, kNone, kNone, kNone});
}

TEST_CASE("evaluation has each document's tokens once and each token behind the prefix once as target", "[data]") {
  const TemporaryFolder folder;
  std::vector<Ints> documents;
  for (std::int32_t d = 0; d < 200; ++d)
    documents.push_back(counting(100 * d, static_cast<std::size_t>(1 + d * 31 % 90)));
  const auto tokens = made_up_tokens(folder.path() / "t", documents, 100000, 0);
  std::vector<DocumentId> ids;
  for (std::uint32_t i = 0; i < 200; i += 2) ids.push_back(DocumentId{i});
  const auto batches = pack_for_evaluation(*tokens, ids, 8, 40, 6);
  std::int64_t targets = 0, expected = 0, positions = 0, padding = 0;
  for (const auto& [batch, pieces] : batches) {
    CHECK(std::ranges::is_sorted(pieces, {}, [](const EvaluationPiece& p) { return std::pair(p.row, p.segment); }));
    targets += std::ranges::count_if(batch.targets, [](std::int32_t target) { return target != kNone; });
    positions += std::ssize(batch.tokens);
    padding += std::ranges::count(batch.segments, Batch::kPadding);
    for (std::size_t i = 1; i < batch.segments.size(); ++i) {
      if (i % 40 != 0 && batch.segments[i - 1] == Batch::kPadding) REQUIRE(batch.segments[i] == Batch::kPadding);
    }
  }
  const auto found = positions_of_documents(batches);
  REQUIRE(found.size() == ids.size());
  for (const DocumentId id : ids) {
    const auto size = static_cast<std::int32_t>(tokens->document(id).tokens);
    expected += std::max(0, size - 6);
    Pairs want;
    for (std::int32_t t = 0; t < size; ++t) {
      const auto token = static_cast<std::int32_t>(100 * index(id)) + t;
      want.emplace(token, t + 1 < size && t + 1 >= 6 ? token + 1 : kNone);
    }
    CHECK(found.at(index(id)) == want);
  }
  CHECK(targets == expected);
  CHECK(padding < positions / 10);
}

TEST_CASE("evaluation takes the first tokens of a document alone if asked", "[data]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "t", {counting(10, 7), counting(20, 3)}, 100, 0);
  const auto batches = pack_for_evaluation(*tokens, {DocumentId{0}, DocumentId{1}}, 1, 3, 2, 5);
  // 13 14 are what is left of the first five behind a row of three; 15 is the target of 14.
  REQUIRE(batches.size() == 3);
  CHECK(batches[0].batch.tokens == Ints{10, 11, 12});
  CHECK(batches[1].batch.tokens == Ints{13, 14, 0});
  CHECK(batches[1].batch.targets == Ints{14, 15, kNone});
  CHECK(batches[2].batch.tokens == Ints{20, 21, 22});
}

TEST_CASE("an evaluation of no document has no batch", "[data]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "t", {{1, 2}}, 10, 0);
  CHECK(pack_for_evaluation(*tokens, {}, 4, 8, 2).empty());
  CHECK(prefix_batches(*tokens, {}, 4, 8).empty());
}

TEST_CASE("the router sees each document's prefix, a row each, and no target", "[data]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "t", {counting(10, 9), counting(20, 2), counting(30, 3)}, 100, 0);
  const auto batches = prefix_batches(*tokens, {DocumentId{2}, DocumentId{0}, DocumentId{1}}, 2, 3);
  REQUIRE(batches.size() == 2);
  CHECK(batches[0].tokens == Ints{30, 31, 32, 10, 11, 12});
  CHECK(batches[0].segments == Ints{0, 0, 0, 0, 0, 0});
  CHECK(batches[0].positions == Ints{0, 1, 2, 0, 1, 2});
  CHECK(batches[0].targets == Ints(6, kNone));
  CHECK(batches[1].rows == 1);
  CHECK(batches[1].tokens == Ints{20, 21, 0});
  CHECK(batches[1].segments == Ints{0, 0, Batch::kPadding});
}

}  // namespace dipaco
