#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/data/shard_reader.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

using Ints = std::vector<std::int32_t>;
constexpr std::int32_t kNoTarget = Batch::kNoTarget;

/// Documents of 1 to 24 tokens; token t of document d is 100 d + t, so that it names both.
std::vector<Ints> telling_documents(std::int32_t count) {
  std::vector<Ints> documents;
  for (std::int32_t d = 0; d < count; ++d) {
    Ints tokens(static_cast<std::size_t>(1 + d * 7 % 24));
    std::iota(tokens.begin(), tokens.end(), 100 * d);
    documents.push_back(tokens);
  }
  return documents;
}

std::vector<DocumentId> all_of(const TokenFile& tokens) {
  std::vector<DocumentId> ids;
  for (std::uint32_t i = 0; i < tokens.documents().size(); ++i) ids.push_back(DocumentId{i});
  return ids;
}

struct Shard {
  TemporaryFolder folder;
  std::shared_ptr<const TokenFile> tokens;

  explicit Shard(const std::vector<Ints>& documents)
      : tokens(made_up_tokens(folder.path() / "t", documents, 100000, 0)) {}
  ShardReader reader(const ReaderOptions& options) const { return {tokens, all_of(*tokens), options}; }
};

struct Row {
  Ints tokens;
  Ints targets;
  Ints segments;
  Ints positions;
};

/// By their first token: which comes first is drawn.
std::map<std::int32_t, Row> rows_of(const Batch& batch) {
  std::map<std::int32_t, Row> rows;
  for (std::int64_t r = 0; r < batch.rows; ++r) {
    const auto part = [&](const Ints& all) {
      return Ints(all.begin() + r * batch.length, all.begin() + (r + 1) * batch.length);
    };
    const Ints tokens = part(batch.tokens);
    rows[tokens.front()] = {tokens, part(batch.targets), part(batch.segments), part(batch.positions)};
  }
  return rows;
}

bool equal(const Batch& a, const Batch& b) {
  return a.rows == b.rows && a.length == b.length && a.tokens == b.tokens && a.targets == b.targets &&
         a.segments == b.segments && a.positions == b.positions;
}

}  // namespace

TEST_CASE("one document of 7 tokens in rows of 4, prefix 2, worked by hand", "[data]") {
  const Shard shard({{10, 11, 12, 13, 14, 15, 16}});
  // Rows are 10..13 and 14..16 10; the document's target places 0 and 1 are in the prefix, and 16 ends it.
  const auto rows = rows_of(shard.reader({.rows = 2, .length = 4, .prefix = 2}).batch({0}));
  REQUIRE(rows.size() == 2);
  CHECK(rows.at(10).tokens == Ints{10, 11, 12, 13});
  CHECK(rows.at(10).targets == Ints{kNoTarget, 12, 13, 14});
  CHECK(rows.at(10).segments == Ints{0, 0, 0, 0});
  CHECK(rows.at(10).positions == Ints{0, 1, 2, 3});
  CHECK(rows.at(14).tokens == Ints{14, 15, 16, 10});
  CHECK(rows.at(14).targets == Ints{15, 16, kNoTarget, kNoTarget});
  CHECK(rows.at(14).segments == Ints{0, 0, 0, 1});
  CHECK(rows.at(14).positions == Ints{0, 1, 2, 0});
}

TEST_CASE("a prefix that a row's end cuts stays out of the loss in the next row", "[data]") {
  const Shard shard({{10, 11, 12, 13, 14, 15, 16}});
  const auto rows = rows_of(shard.reader({.rows = 4, .length = 2, .prefix = 5}).batch({0}));
  REQUIRE(rows.size() == 4);
  CHECK(rows.at(10).targets == Ints{kNoTarget, kNoTarget});
  CHECK(rows.at(12).targets == Ints{kNoTarget, kNoTarget});
  CHECK(rows.at(14).targets == Ints{15, 16});
  CHECK(rows.at(16).targets == Ints{kNoTarget, kNoTarget});
}

TEST_CASE("a row longer than its shard goes on with its first documents", "[data]") {
  const Shard shard({{10, 11, 12}, {20, 21}});
  const Batch batch = shard.reader({.rows = 2, .length = 10, .prefix = 0}).batch({0});
  CHECK(std::count(batch.segments.begin(), batch.segments.end(), Batch::kPadding) == 0);
  for (const std::int32_t token : {10, 11, 12, 20, 21})
    CHECK(std::count(batch.tokens.begin(), batch.tokens.end(), token) == 4);
}

TEST_CASE("in training no position is padding, and no segment or target leaves its document", "[data]") {
  const Shard shard(telling_documents(40));
  const std::int32_t prefix = 5;
  const ShardReader reader = shard.reader({.rows = 6, .length = 16, .prefix = prefix});
  for (std::int64_t step = 0; step < 30; ++step) {
    const Batch batch = reader.batch({step});
    for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
      const std::int32_t token = batch.tokens[i];
      const bool row_starts = i % 16 == 0;
      const bool same_segment = !row_starts && batch.segments[i] == batch.segments[i - 1];
      REQUIRE(batch.segments[i] == (row_starts ? 0 : batch.segments[i - 1] + (same_segment ? 0 : 1)));
      REQUIRE(batch.positions[i] == (same_segment ? batch.positions[i - 1] + 1 : 0));
      if (same_segment) REQUIRE(token == batch.tokens[i - 1] + 1);  // the same document, the next token
      const std::int32_t size = 1 + token / 100 * 7 % 24;
      const std::int32_t next = token % 100 + 1;
      REQUIRE(batch.targets[i] == (next < size && next >= prefix ? token + 1 : kNoTarget));
    }
  }
}

TEST_CASE("in each epoch each token is seen, in an order of its own", "[data]") {
  const Shard shard(telling_documents(30));
  std::int64_t epoch_tokens = 0;
  for (const DocumentRecord& document : shard.tokens->documents()) epoch_tokens += document.tokens;
  const ShardReader reader = shard.reader({.rows = 1, .length = 8, .prefix = 0});
  const std::int64_t rows = reader.rows_per_epoch();
  CHECK(rows == (epoch_tokens + 7) / 8);
  std::vector<Ints> epochs;
  for (std::int64_t step = 0; step < 3 * rows; ++step) {
    if (step % rows == 0) epochs.emplace_back();
    const Batch batch = reader.batch({step});
    epochs.back().insert(epochs.back().end(), batch.tokens.begin(), batch.tokens.end());
  }
  for (const Ints& epoch : epochs) {
    const std::set<std::int32_t> seen(epoch.begin(), epoch.end());
    CHECK(std::ssize(seen) == epoch_tokens);
    CHECK(std::ssize(epoch) - epoch_tokens < 8);  // seen twice, to fill the last row
  }
  CHECK(epochs[0] != epochs[1]);
  CHECK(epochs[1] != epochs[2]);
}

TEST_CASE("the rows of a batch are of different documents, though each fills many rows", "[data]") {
  std::vector<Ints> documents(16, Ints(256));
  for (std::size_t d = 0; d < documents.size(); ++d)
    std::iota(documents[d].begin(), documents[d].end(), static_cast<std::int32_t>(1000 * d));
  const Shard shard(documents);
  const ReaderOptions options{.rows = 8, .length = 16, .prefix = 0};
  const ShardReader reader = shard.reader(options);
  double distinct = 0;
  constexpr std::int64_t kSteps = 64;  // two epochs
  for (std::int64_t step = 0; step < kSteps; ++step) {
    std::set<std::int32_t> in_batch;
    for (const std::int32_t token : reader.batch({step}).tokens) in_batch.insert(token / 1000);
    distinct += static_cast<double>(in_batch.size()) / kSteps;
  }
  // 8 draws of 16 documents hit 16 (1 - (15/16)^8) = 6.45 different ones; neighbouring rows would hit 1 or 2.
  CHECK(distinct > 6);
}

TEST_CASE("a batch is a function of its step: neither calls before it nor other threads change it", "[data]") {
  const Shard shard(telling_documents(50));
  const ReaderOptions options{.rows = 4, .length = 32, .prefix = 4, .seed = 3, .stream = 1};
  constexpr std::int64_t kSteps = 24;  // about 5 epochs
  std::vector<Batch> expected;
  for (std::int64_t step = 0; step < kSteps; ++step) expected.push_back(shard.reader(options).batch({step}));
  const ShardReader reader = shard.reader(options);
  for (std::int64_t step = kSteps - 1; step >= 0; --step) {
    REQUIRE(equal(reader.batch({step}), expected[static_cast<std::size_t>(step)]));
  }
  std::vector<int> wrong(3, 0);
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (std::int64_t i = 0; i < 4 * kSteps; ++i) {
        const std::int64_t step = (i * (2 * t + 1) + 7 * t) % kSteps;
        if (!equal(reader.batch({step}), expected[static_cast<std::size_t>(step)]))
          ++wrong[static_cast<std::size_t>(t)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>{0, 0, 0});
}

TEST_CASE("shards and seeds have orders of their own", "[data]") {
  const Shard shard(telling_documents(50));
  const auto batch = [&](std::uint64_t seed, std::uint64_t stream) {
    return shard.reader({.rows = 2, .length = 64, .prefix = 4, .seed = seed, .stream = stream}).batch({0});
  };
  CHECK(equal(batch(1, 0), batch(1, 0)));
  CHECK_FALSE(equal(batch(1, 0), batch(2, 0)));
  CHECK_FALSE(equal(batch(1, 0), batch(1, 1)));
}

TEST_CASE("a shard with nothing to learn is an error that names it", "[data]") {
  const Shard shard({{1, 2, 3}, {4}});
  CHECK_THROWS_WITH(shard.reader({.rows = 1, .length = 4, .prefix = 3, .name = "path 5"}),
                    Catch::Contains("path 5: none of its 2 documents"));
  CHECK_THROWS_AS(ShardReader(shard.tokens, {}, {.rows = 1, .length = 4, .prefix = 0}), DataError);
  CHECK_NOTHROW(shard.reader({.rows = 1, .length = 4, .prefix = 2}));
}

}  // namespace dipaco
