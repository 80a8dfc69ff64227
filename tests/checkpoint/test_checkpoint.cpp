#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/base/sealed.hpp"
#include "core/checkpoint/checkpoint.hpp"

namespace dipaco {
namespace {

Checkpoint example() {
  return {.facts = {{"kind", "path"}, {"outer_step", "-7"}, {"empty", ""}},
          .arrays = {{"parameters", {1.5F, -0.0F, std::numeric_limits<float>::denorm_min()}},
                     {"velocity", {}},
                     {"moments", {std::nanf(""), std::numeric_limits<float>::infinity()}}}};
}

std::string error_of(const std::vector<std::byte>& bytes) {
  try {
    static_cast<void>(decode_checkpoint(bytes, "some/file.ckpt"));
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

/// A body that a program with a right checksum, but of bad intent or with a bug, could have written.
std::vector<std::byte> sealed(const std::function<void(ByteWriter&)>& body) {
  ByteWriter writer = begin_sealed({.magic = "DIPACOCK", .version = 1, .noun = "checkpoint"});
  body(writer);
  return finish_sealed(std::move(writer));
}

TEST_CASE("a checkpoint reads back with the bits it was written with", "[checkpoint]") {
  const Checkpoint before = example();
  const Checkpoint after = decode_checkpoint(encode(before), "test");
  CHECK(after.facts == before.facts);
  REQUIRE(after.arrays.size() == before.arrays.size());
  for (const auto& [name, values] : before.arrays) {
    INFO(name);
    CHECK(hash_hex(std::span(after.arrays.at(name))) == hash_hex(std::span(values)));  // NaN and -0 included
  }
  CHECK(encode(after) == encode(before));
  CHECK(decode_checkpoint(encode({}), "test").arrays.empty());
}

TEST_CASE("facts and arrays that are missing or no number are errors that name them", "[checkpoint]") {
  const Checkpoint checkpoint = example();
  CHECK(checkpoint.integer("outer_step", "f") == -7);
  CHECK(checkpoint.array("parameters", "f").size() == 3);
  CHECK_THROWS_WITH(checkpoint.integer("kind", "f"), Catch::Contains("f: the fact \"kind\" is \"path\""));
  CHECK_THROWS_WITH(checkpoint.integer("step", "f"), Catch::Contains("without the fact \"step\""));
  CHECK_THROWS_WITH(checkpoint.array("weights", "f"), Catch::Contains("without the array \"weights\""));
  CHECK_THROWS_AS(checkpoint.integer("empty", "f"), DataError);
}

TEST_CASE("no checkpoint cut short is read", "[checkpoint]") {
  const std::vector<std::byte> whole = encode(example());
  for (std::size_t length = 0; length < whole.size(); ++length) {
    INFO("cut to " << length << " of " << whole.size());
    const std::string error = error_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
    CHECK_THAT(error, Catch::StartsWith("some/file.ckpt: ") && Catch::Contains("truncated"));
  }
  std::vector<std::byte> longer = whole;
  longer.push_back(std::byte{0});
  CHECK_THAT(error_of(longer), Catch::Contains("checksum"));
}

TEST_CASE("no flipped bit of a checkpoint goes unseen", "[checkpoint]") {
  std::vector<std::byte> bytes = encode(example());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    const auto flip = static_cast<std::byte>(1U << (bit % 8));
    bytes[bit / 8] ^= flip;
    INFO("bit " << bit);
    CHECK(error_of(bytes) != "no error");
    bytes[bit / 8] ^= flip;
  }
  CHECK(error_of(bytes) == "no error");
}

TEST_CASE("a checkpoint of another kind or version says so", "[checkpoint]") {
  std::vector<std::byte> other = encode(example());
  other[0] = std::byte{'X'};
  CHECK_THAT(error_of(other), Catch::Contains("not a checkpoint"));
  std::vector<std::byte> newer = encode(example());
  newer[8] = std::byte{2};
  CHECK_THAT(error_of(newer), Catch::Contains("version 2") && Catch::Contains("reads 1"));
}

TEST_CASE("a rightly sealed body that lies about its sizes is an error, not a huge allocation", "[checkpoint]") {
  constexpr auto kHuge = std::numeric_limits<std::uint64_t>::max();
  const auto many_facts = sealed([](ByteWriter& w) { w.value(std::uint32_t{0xffffffff}); });
  CHECK_THAT(error_of(many_facts), Catch::Contains("damaged at byte 16"));
  for (const std::uint64_t count : {kHuge, kHuge / 4, kHuge / 4 + 2, std::uint64_t{1}}) {
    const auto array = sealed([count](ByteWriter& w) {
      w.value(std::uint32_t{0});
      w.value(std::uint32_t{1});
      w.text("a");
      w.value(count);
    });
    CHECK_THAT(error_of(array), Catch::Contains("does not fit"));
  }
  const auto twice = sealed([](ByteWriter& w) {
    w.value(std::uint32_t{2});
    for (const char* text : {"a", "1", "a", "2"}) w.text(text);
    w.value(std::uint32_t{0});
  });
  CHECK_THAT(error_of(twice), Catch::Contains("not behind"));
  const auto trailing = sealed([](ByteWriter& w) {
    w.value(std::uint64_t{0});
    w.value(std::uint8_t{0});
  });
  CHECK_THAT(error_of(trailing), Catch::Contains("1 bytes too many"));
}

}  // namespace
}  // namespace dipaco
