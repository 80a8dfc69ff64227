#include <array>
#include <catch2/catch.hpp>

#include "core/base/bytes.hpp"

namespace dipaco {

TEST_CASE("a reader gives back what a writer wrote", "[base]") {
  ByteWriter out;
  out.value<std::uint16_t>(513);
  out.text("path");
  const std::array<float, 2> floats{1.5F, -2.0F};
  out.array(std::span<const float>(floats));
  ByteReader in(out.bytes(), "test");
  CHECK(in.value<std::uint16_t>() == 513);
  CHECK(in.text() == "path");
  CHECK(in.array<float>() == std::vector<float>{1.5F, -2.0F});
  CHECK(in.remaining() == 0);
}

TEST_CASE("numbers are written low byte first", "[base]") {
  ByteWriter out;
  out.value<std::uint32_t>(0x01020304);
  CHECK(out.bytes()[0] == std::byte{4});
  CHECK(out.bytes()[3] == std::byte{1});
}

TEST_CASE("a reader refuses bytes that end early and says where", "[base]") {
  ByteWriter out;
  out.text("module");
  const auto bytes = out.take();
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ByteReader in(std::span<const std::byte>(bytes).first(length), "file.bin");
    CHECK_THROWS_WITH(in.text(), Catch::Contains("file.bin: damaged at byte"));
  }
}

TEST_CASE("an array that claims more items than there are bytes is refused before memory is taken", "[base]") {
  ByteWriter out;
  out.value(std::uint64_t{1} << 62U);
  ByteReader in(out.bytes(), "file.bin");
  CHECK_THROWS_AS(in.array<double>(), DataError);
}

}  // namespace dipaco
