#include <catch2/catch.hpp>

#include "backends/gloo/links/arrival.hpp"
#include "backends/gloo/links/sealing/handshake.hpp"

namespace dipaco {
namespace {

constexpr auto kBytes = ItemKind::bytes;
constexpr auto kFloats = ItemKind::floats;

}  // namespace

TEST_CASE("an arriving message is asked for in chunks of its head, its arrays and its padding", "[gloo]") {
  const auto spare = std::make_shared<SpareArrays>(1 << 20);
  Arrival arrival({.number = 1, .head = 40, .arrays = {{kFloats, kChunk + 4}, {kBytes, 3}}, .padding = kChunk + 1}, 2,
                  *spare);
  CHECK(arrival.size() == 40 + kChunk + 4 + 3 + kChunk + 1);
  std::vector<std::span<std::byte>> chunks;
  std::vector<std::size_t> sizes;
  for (std::size_t k = 0; !arrival.all_asked(); ++k) {
    chunks.push_back(arrival.ask(k % 2));
    sizes.push_back(chunks.back().size());
  }
  CHECK(sizes == std::vector<std::size_t>{40, kChunk, 4, 3, kChunk, 1});
  std::uint64_t here = 0;
  for (const auto chunk : chunks) {
    CHECK_FALSE(arrival.whole());
    CHECK(arrival.here() == here);
    arrival.came(chunk, Seconds(7 + static_cast<double>(here)));
    here += chunk.size();
  }
  CHECK(arrival.whole());
  CHECK(arrival.here() == arrival.size());
  const auto all = static_cast<double>(arrival.size());
  const Received received = arrival.take();
  CHECK(received.head.size() == 40);
  // The last chunk came that much later than the first one. Of this, which has 40 bytes, it is not known.
  CHECK(received.took.count() == Approx((all - 1) * all / (all - 40)));
  REQUIRE(received.arrays.size() == 2);
  CHECK(received.arrays[0].items<float>()->size() == kChunk / sizeof(float) + 1);
  CHECK(received.arrays[1].items<std::byte>()->size() == 3);
}

TEST_CASE("an arriving message says what it is once the beginning of its head is there", "[gloo]") {
  const auto spare = std::make_shared<SpareArrays>(1 << 20);
  Arrival arrival({.number = 1, .head = 40, .arrays = {{kBytes, 3}}}, 2, *spare);
  const auto head = arrival.ask(0);
  const auto array = arrival.ask(1);
  head[sizeof(double) + sizeof(std::uint64_t)] = static_cast<std::byte>(MessageKind::path_state);
  arrival.came(array, Seconds(1));
  CHECK_FALSE(arrival.kind());
  arrival.came(head, Seconds(1));
  CHECK(arrival.kind() == MessageKind::path_state);
}

TEST_CASE("an announcement of what cannot be is refused before any memory is taken for it", "[gloo]") {
  const auto spare = std::make_shared<SpareArrays>(1 << 20);
  constexpr std::uint64_t kHuge = ~std::uint64_t{0} - 3;
  for (const Announce& announce :
       {Announce{.head = 0}, Announce{.head = kHuge}, Announce{.head = 9, .padding = kHuge},
        Announce{.head = 9, .arrays = {{kFloats, 6}}}, Announce{.head = 9, .arrays = {{kBytes, 0}}},
        Announce{.head = 9, .arrays = {{kBytes, kHuge}, {kFloats, kHuge}}},
        Announce{.head = 9, .arrays = {{static_cast<ItemKind>(2), 8}}}}) {
    CHECK_THROWS_AS(Arrival(announce, 1, *spare), LinkError);
  }
}

}  // namespace dipaco
