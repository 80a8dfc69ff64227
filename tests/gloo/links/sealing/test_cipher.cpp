#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "backends/gloo/links/sealing/cipher.hpp"

namespace dipaco {
namespace {

using ByteVector = std::vector<std::byte>;

ByteVector text(const char* s) {
  ByteVector bytes(std::strlen(s));
  if (!bytes.empty()) std::memcpy(bytes.data(), s, bytes.size());
  return bytes;
}

std::optional<Key> key_of(int number) {
  if (number == 0) return std::nullopt;
  Key key{};
  key[0] = static_cast<std::uint8_t>(number);
  return key;
}

ByteVector sealed(Sealer& sealer, const ByteVector& header, const ByteVector& plain) {
  ByteVector out(plain.size() + kSealOverhead);
  sealer.seal(header, plain, out);
  return out;
}

bool opens(Opener& opener, const ByteVector& header, const ByteVector& frame, const ByteVector& expected) {
  ByteVector plain(frame.size() < kSealOverhead ? 0 : frame.size() - kSealOverhead);
  return opener.open(header, frame, plain) && plain == expected;
}

}  // namespace

TEST_CASE("frames open in their order, with a key and without one", "[gloo]") {
  for (const int key : {0, 1}) {
    Sealer sealer(key_of(key));
    Opener opener(key_of(key));
    for (const char* plain : {"first", "", "third", "first"}) {
      CHECK(opens(opener, text("head"), sealed(sealer, text("head"), text(plain)), text(plain)));
    }
  }
}

TEST_CASE("with a key nothing of a frame can be read in it, and equal frames look different", "[gloo]") {
  Sealer sealer(key_of(1));
  const ByteVector plain = text("the parameters of a module");
  const ByteVector one = sealed(sealer, {}, plain);
  const ByteVector two = sealed(sealer, {}, plain);
  CHECK(std::search(one.begin(), one.end(), plain.begin(), plain.begin() + 4) == one.end());
  CHECK(one != two);
  Opener other(key_of(2));
  CHECK_FALSE(opens(other, {}, one, plain));
}

TEST_CASE("a frame with any bit flipped, in its header too, does not open", "[gloo]") {
  for (const int key : {0, 1}) {
    Sealer sealer(key_of(key));
    const ByteVector header = text("head");
    const ByteVector plain = text("some parameters");
    const ByteVector frame = sealed(sealer, header, plain);
    for (std::size_t bit = 0; bit < 8 * frame.size(); ++bit) {
      ByteVector flipped = frame;
      flipped[bit / 8] ^= std::byte{1} << (bit % 8);
      Opener opener(key_of(key));
      CHECK_FALSE(opens(opener, header, flipped, plain));
    }
    Opener opener(key_of(key));
    CHECK_FALSE(opens(opener, text("heaD"), frame, plain));
  }
}

TEST_CASE("a frame that is cut, repeated, left out or moved does not open, nor does any behind it", "[gloo]") {
  for (const int key : {0, 1}) {
    Sealer sealer(key_of(key));
    const ByteVector one = sealed(sealer, {}, text("one"));
    const ByteVector two = sealed(sealer, {}, text("two"));
    Opener cut(key_of(key));
    CHECK_FALSE(opens(cut, {}, ByteVector(one.begin(), one.end() - 1), text("on")));
    CHECK_FALSE(opens(cut, {}, ByteVector(3), {}));
    Opener repeated(key_of(key));
    CHECK(opens(repeated, {}, one, text("one")));
    CHECK_FALSE(opens(repeated, {}, one, text("one")));
    CHECK_FALSE(opens(repeated, {}, two, text("two")));
    Opener moved(key_of(key));
    CHECK_FALSE(opens(moved, {}, two, text("two")));
    CHECK_FALSE(opens(moved, {}, one, text("one")));
  }
}

}  // namespace dipaco
