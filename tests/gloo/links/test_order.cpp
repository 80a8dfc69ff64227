#include <catch2/catch.hpp>

#include "backends/gloo/links/reordering.hpp"
#include "backends/gloo/links/sealing/handshake.hpp"
#include "backends/gloo/links/stream_set.hpp"

namespace dipaco {
namespace {

Received of_size(std::uint64_t size) { return {.size = size}; }

std::vector<std::size_t> next_three(StreamSet& streams, Stream::Way way) {
  std::vector<std::size_t> next;
  for (int k = 0; k < 3; ++k) next.push_back(streams.next(way));
  return next;
}

}  // namespace

TEST_CASE("messages are delivered as they were sent, whatever order they come in, and each once", "[gloo]") {
  std::vector<std::uint64_t> delivered;
  Reordering order([&](const Received& message) { delivered.push_back(message.size); });
  order.put(2, of_size(102));
  order.put(1, of_size(101));
  CHECK(delivered.empty());
  order.put(0, of_size(100));
  CHECK(delivered == std::vector<std::uint64_t>{100, 101, 102});
  order.put(4, of_size(104));
  CHECK_THROWS_AS(order.put(4, of_size(104)), LinkError);  // before its turn
  CHECK_THROWS_AS(order.put(2, of_size(102)), LinkError);  // after it
  order.put(3, of_size(103));
  CHECK(delivered.size() == 5);
}

TEST_CASE("what one side sends on a stream the other receives on it, chunk for chunk", "[gloo]") {
  StreamSet initiator(true);
  StreamSet responder(false);
  initiator.expect(4);
  responder.expect(4);
  CHECK(next_three(initiator, Stream::Way::sends) == std::vector<std::size_t>{0, 1, 0});
  CHECK(next_three(responder, Stream::Way::receives) == std::vector<std::size_t>{0, 1, 0});
  CHECK(next_three(responder, Stream::Way::sends) == std::vector<std::size_t>{2, 3, 2});
  CHECK(next_three(initiator, Stream::Way::receives) == std::vector<std::size_t>{2, 3, 2});
  CHECK(initiator.next(Stream::Way::sends) == 1);
  for (std::uint32_t k = 0; k < 4; ++k) {
    const OpenStream stream{.stream = k, .streams = 4};
    CHECK((initiator.way(stream) == Stream::Way::sends) == (k < 2));
    CHECK(initiator.way(stream) != responder.way(stream));
  }
}

TEST_CASE("a set of streams takes each that it expects once, and no other", "[gloo]") {
  StreamSet streams(false);
  CHECK(streams.want());
  CHECK_FALSE(streams.want());
  CHECK_FALSE(streams.ready());
  CHECK_FALSE(StreamSet(false).add({.stream = 0, .streams = 3}, nullptr));  // no half of it goes each way
  streams.expect(2);
  CHECK_FALSE(streams.add({.stream = 0, .streams = 4}, nullptr));
  CHECK_FALSE(streams.add({.stream = 2, .streams = 2}, nullptr));
  CHECK_FALSE(streams.ready());
}

}  // namespace dipaco
