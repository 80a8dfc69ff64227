#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/data/split.hpp"
#include "tests/support/made_up_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kPrefix = 4;
using Documents = std::vector<std::vector<std::int32_t>>;
using Hashes = std::set<std::uint64_t>;

/// Documents of 5 to 13 tokens, all different.
Documents some_documents(std::int32_t count) {
  Documents documents;
  for (std::int32_t i = 0; i < count; ++i) {
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(5 + i % 9), i % 7);
    tokens[0] = i / 256;
    tokens[1] = i % 256;
    documents.push_back(tokens);
  }
  return documents;
}

Hashes hashes(const TokenFile& tokens, const std::vector<DocumentId>& ids) {
  Hashes found;
  for (const DocumentId id : ids) found.insert(tokens.document(id).hash);
  return found;
}

struct SplitHashes {
  Hashes train, router, validation, holdout;
};

SplitHashes split_of(const Documents& documents, const DataOptions& options, double router_fraction,
                     std::size_t router_minimum) {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "t", documents, 256, kPrefix);
  const Splits splits = split_documents(*tokens, options, router_fraction, router_minimum);
  SplitHashes found{
      hashes(*tokens, splits.train), hashes(*tokens, splits.router), hashes(*tokens, splits.validation), {}};
  for (const DocumentId id : splits.train) {
    if (in_holdout(tokens->document(id), options)) found.holdout.insert(tokens->document(id).hash);
  }
  return found;
}

}  // namespace

TEST_CASE("a document's use depends neither on the order of the documents nor on the others", "[data]") {
  const DataOptions options{.validation_fraction = 0.2, .holdout_fraction = 0.1};
  Documents documents = some_documents(400);
  const SplitHashes first = split_of(documents, options, 0.1, 0);
  std::reverse(documents.begin(), documents.end());
  const SplitHashes reversed = split_of(documents, options, 0.1, 0);
  CHECK(first.train == reversed.train);
  CHECK(first.router == reversed.router);
  CHECK(first.validation == reversed.validation);
  CHECK(first.holdout == reversed.holdout);
  documents.resize(200);
  const SplitHashes half = split_of(documents, options, 0.1, 0);
  CHECK(std::ranges::includes(first.train, half.train));
  CHECK(std::ranges::includes(first.router, half.router));
  CHECK(std::ranges::includes(first.validation, half.validation));
}

TEST_CASE("splits share no document and have about the sizes asked for", "[data]") {
  const SplitHashes split =
      split_of(some_documents(4000), {.validation_fraction = 0.2, .holdout_fraction = 0.1}, 0.05, 0);
  CHECK(split.train.size() + split.router.size() + split.validation.size() == 4000);
  CHECK(split.validation.size() ==
        Approx(800).margin(100));                        // 4 sigma of a binomial draw: 4 * sqrt(4000 * 0.2 * 0.8) = 101
  CHECK(split.router.size() == Approx(160).margin(50));  // 5 % of the 3,200 that are left
  CHECK(split.holdout.size() == Approx(304).margin(70));
  Hashes all = split.train;
  all.insert(split.router.begin(), split.router.end());
  all.insert(split.validation.begin(), split.validation.end());
  CHECK(all.size() == 4000);
}

TEST_CASE("documents without a token behind the prefix are counted and dropped", "[data]") {
  const TemporaryFolder folder;
  const auto tokens = made_up_tokens(folder.path() / "t", {{1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1}}, 256, kPrefix);
  const Splits splits = split_documents(*tokens, {.validation_fraction = 0}, 0, 0);
  CHECK(splits.dropped == 2);
  CHECK(splits.train == std::vector{DocumentId{1}});
}

TEST_CASE("a small corpus lends training documents to the router, the same in any order", "[data]") {
  const DataOptions options{.validation_fraction = 0.1};
  Documents documents = some_documents(100);
  const SplitHashes lent = split_of(documents, options, 0.02, 30);
  const SplitHashes own = split_of(documents, options, 0.02, 0);
  CHECK(lent.router.size() == 30);
  CHECK(lent.train == own.train);
  CHECK(std::ranges::includes(lent.router, own.router));
  std::reverse(documents.begin(), documents.end());
  CHECK(split_of(documents, options, 0.02, 30).router == lent.router);
  CHECK(split_of(documents, options, 0.02, 1000).router.size() == own.train.size() + own.router.size());
}

TEST_CASE("router documents that no path learns from are told apart, where they are not too few", "[data]") {
  const auto ids = [](const std::vector<std::uint32_t>& numbers) {
    std::vector<DocumentId> out;
    for (const std::uint32_t number : numbers) out.push_back(DocumentId{number});
    return out;
  };
  Splits splits{.train = ids({1, 2, 4, 7}), .router = ids({0, 2, 3, 4}), .validation = {}};
  CHECK(unlearned_router_documents(splits) == ids({0, 3}));
  splits.train = ids({0, 2, 3, 4});
  CHECK(unlearned_router_documents(splits) == splits.router);
  std::vector<std::uint32_t> twenty(20);
  std::iota(twenty.begin(), twenty.end(), 0);
  splits.router = ids(twenty);
  splits.train = ids({twenty.begin() + 2, twenty.end()});
  CHECK(unlearned_router_documents(splits) == ids({0, 1}));  // a tenth
  splits.train = ids({twenty.begin() + 1, twenty.end()});
  CHECK(unlearned_router_documents(splits) == splits.router);
}

TEST_CASE("validation_documents keeps so many, gives none of the rest to training, and does not go by order",
          "[data]") {
  Documents documents = some_documents(300);
  const SplitHashes all = split_of(documents, {.validation_fraction = 0.2}, 0, 0);
  const DataOptions capped{.validation_fraction = 0.2, .validation_documents = 10};
  const SplitHashes some = split_of(documents, capped, 0, 0);
  CHECK(some.validation.size() == 10);
  CHECK(std::ranges::includes(all.validation, some.validation));
  CHECK(some.train == all.train);
  std::reverse(documents.begin(), documents.end());
  CHECK(split_of(documents, capped, 0, 0).validation == some.validation);
}

TEST_CASE("where validation files are named, their documents and no others are for validation", "[data]") {
  const TemporaryFolder folder;
  TokenFileWriter writer(folder.path() / "t", 256, kPrefix);
  const std::vector<std::int32_t> tokens(6, 1);
  const std::vector<std::uint32_t> ends{1, 2, 3, 4, 5, 6};
  for (std::uint64_t i = 0; i < 50; ++i) writer.add(tokens, ends, draw_bits(1, Draw::jitter, i), 6, "", i % 5 == 0);
  writer.finish();
  const TokenFile file = TokenFile::open(folder.path() / "t");
  const Splits splits = split_documents(file, {.validation = "v.jsonl", .validation_fraction = 0.5}, 0, 0);
  CHECK(splits.validation.size() == 10);
  CHECK(splits.train.size() == 40);
  for (const DocumentId id : splits.validation) CHECK(index(id) % 5 == 0);
}

TEST_CASE("a corpus without a training document is an error that says what to change", "[data]") {
  CHECK_THROWS_WITH(split_of({{1, 2}, {3, 4}}, {}, 0, 0),
                    Catch::Contains("no training document among 2 has more than the 4 tokens"));
  CHECK_THROWS_AS(split_of(some_documents(5), {.validation_fraction = 1}, 0, 0), DataError);
}

}  // namespace dipaco
