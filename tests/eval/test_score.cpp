#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/eval/score.hpp"
#include "tests/prepare/fake_trainer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace dipaco {
namespace {

using testing::FakeTrainer;

/// Documents of 3, 4, 5 ... tokens; every token but the end stands for two bytes.
TokenFile made_tokens(const TemporaryFolder& folder, std::uint32_t documents, std::int64_t prefix) {
  TokenFileWriter writer(folder.path() / "tokens.bin", 16, prefix);
  for (std::uint32_t i = 0; i < documents; ++i) {
    const std::uint32_t count = 3 + i;
    std::vector<std::int32_t> tokens(count, static_cast<std::int32_t>(i % 16));
    std::vector<std::uint32_t> ends;
    for (std::uint32_t j = 0; j < count; ++j) ends.push_back(2 * std::min(j + 1, count - 1));
    writer.add(tokens, ends, i, 2 * (count - 1), "", false);
  }
  writer.finish();
  return TokenFile::open(folder.path() / "tokens.bin");
}

std::vector<DocumentId> ids(std::uint32_t count) {
  std::vector<DocumentId> out;
  for (std::uint32_t i = 0; i < count; ++i) out.push_back(DocumentId{i});
  return out;
}

TEST_CASE("perplexity and bits per byte are the formulas of the text", "[eval]") {
  Score score{.nats = 6 * std::log(2.0), .tokens = 3, .bytes = 12, .documents = 1};
  CHECK(score.perplexity() == Approx(4));        // exp(6 ln 2 / 3) = 2^2
  CHECK(*score.bits_per_byte() == Approx(0.5));  // 6 bits over 12 bytes
  score += {.nats = 2 * std::log(2.0), .tokens = 5, .bytes = 4, .documents = 2};
  CHECK(score.perplexity() == Approx(2));        // 8 bits over 8 tokens
  CHECK(*score.bits_per_byte() == Approx(0.5));  // 8 bits over 16 bytes
  CHECK(score.documents == 3);
  CHECK_THROWS_AS(Score{}.perplexity(), std::logic_error);
  CHECK_FALSE(Score{.nats = 1, .tokens = 1, .documents = 1}.bits_per_byte().has_value());
}

TEST_CASE("a score counts each token and byte behind the prefix once, however documents are cut", "[eval]") {
  const TemporaryFolder folder;
  const FakeTrainer trainer({.vocabulary = 16});
  const TokenFile tokens = made_tokens(folder, 3, 2);
  const std::vector<float> parameters{0};
  // Documents of 3, 4 and 5 tokens: 1 + 2 + 3 behind the prefix of 2. Texts of 4, 6 and 8 bytes, 4 of each under the
  // prefix: 0 + 2 + 4. Every token costs ln 16: perplexity 16, and 6 tokens x 4 bits / 6 bytes.
  for (const std::int64_t sequence : {1, 2, 3, 5, 100}) {
    const Score score =
        score_documents(trainer, parameters, tokens, ids(3), {.rows = 2, .sequence = sequence, .prefix = 2}).total;
    INFO("rows of " << sequence);
    CHECK(score.tokens == 6);
    CHECK(score.bytes == 6);
    CHECK(score.documents == 3);
    CHECK(score.perplexity() == Approx(16));
    CHECK(*score.bits_per_byte() == Approx(4));
  }
  CHECK(score_documents(trainer, parameters, tokens, {}, {.sequence = 4, .prefix = 2}).total.tokens == 0);
}

TEST_CASE("threads change no bit of a score", "[eval]") {
  const TemporaryFolder folder;
  const FakeTrainer trainer({.vocabulary = 7});
  const TokenFile tokens = made_tokens(folder, 200, 2);
  const std::vector<float> parameters{0.1F, 0.7F};
  const auto score = [&](int threads) {
    return score_documents(trainer, parameters, tokens, ids(200),
                           {.rows = 3, .sequence = 50, .prefix = 2, .threads = threads})
        .total;
  };
  const Score alone = score(1);
  for (const int threads : {2, 5}) {
    CHECK(score(threads).nats == alone.nats);
    CHECK(score(threads).tokens == alone.tokens);
  }
}

TEST_CASE("a loss that is not finite is an error that names the document", "[eval]") {
  const TemporaryFolder folder;
  const FakeTrainer trainer({.vocabulary = 16});
  const TokenFile tokens = made_tokens(folder, 3, 2);
  const std::vector<float> diverged{std::numeric_limits<float>::quiet_NaN()};
  const ScoreOptions options{.sequence = 8, .prefix = 2};
  CHECK_THROWS_AS(score_documents(trainer, diverged, tokens, ids(3), options), DataError);
  CHECK_THROWS_WITH(score_documents(trainer, diverged, tokens, {DocumentId{2}}, options),
                    Catch::Contains("document 2 is not finite"));
  CHECK_THROWS_AS(score_documents(trainer, {}, tokens, ids(3), {.sequence = 8, .prefix = 3}), std::logic_error);
}

}  // namespace
}  // namespace dipaco
