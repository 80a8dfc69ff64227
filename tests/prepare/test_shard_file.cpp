#include <catch2/catch.hpp>

#include "core/base/error.hpp"
#include "core/base/sealed.hpp"
#include "core/prepare/shard_file.hpp"

namespace dipaco {
namespace {

std::vector<Shard> example() {
  return {{.train = {DocumentId{0}, DocumentId{4}}, .holdout = {DocumentId{2}}, .validation = {}},
          {.train = {DocumentId{1}}, .holdout = {}, .validation = {DocumentId{3}}}};
}

TEST_CASE("shards read back as they were", "[prepare]") {
  const auto shards = decode_shards(encode_shards(example()), 5, "test");
  REQUIRE(shards.size() == 2);
  for (std::size_t path = 0; path < 2; ++path) {
    CHECK(shards[path].train == example()[path].train);
    CHECK(shards[path].holdout == example()[path].holdout);
    CHECK(shards[path].validation == example()[path].validation);
  }
}

TEST_CASE("no list of shards that is cut short, has a flipped bit or an unknown document is read", "[prepare]") {
  std::vector<std::byte> bytes = encode_shards(example());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CHECK_THROWS_AS(decode_shards(std::span(bytes).first(length), 5, "test"), DataError);
  }
  for (std::byte& byte : bytes) {
    byte ^= std::byte{1};
    CHECK_THROWS_AS(decode_shards(bytes, 5, "test"), DataError);
    byte ^= std::byte{1};
  }
  CHECK_THROWS_WITH(decode_shards(bytes, 4, "some/shards.bin"),
                    Catch::StartsWith("some/shards.bin: ") && Catch::Contains("document 4 of 4"));
  ByteWriter writer = begin_sealed({.magic = "DIPACOSH", .version = 1, .noun = "list"});
  writer.value(std::uint32_t{0});
  writer.value(std::uint8_t{0});
  CHECK_THROWS_WITH(decode_shards(finish_sealed(std::move(writer)), 4, "test"), Catch::Contains("1 bytes too many"));
}

}  // namespace
}  // namespace dipaco
