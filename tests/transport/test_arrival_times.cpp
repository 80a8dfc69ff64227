#include <catch2/catch.hpp>

#include "core/transport/arrival_times.hpp"

namespace dipaco::testing {
namespace {

Envelope came(int from, std::uint64_t bytes, double took) {
  Message message = make_message(Goodbye{});
  message.wire_size = Bytes{bytes};
  return {NodeId{from}, Seconds(0), std::move(message), Seconds(took)};
}

}  // namespace

TEST_CASE("what a byte took is told of each sender, once, and of no small message", "[transport]") {
  ArrivalTimes times;
  CHECK(times.take().empty());
  times.note(came(3, 1000, 2));
  times.note(came(3, 3000, 2));
  times.note(came(1, 100, 1));
  times.note(came(2, 100, 0));
  CHECK(times.take() == std::vector<MeasuredWay>{{NodeId{1}, 0.01}, {NodeId{3}, 0.001}});
  CHECK(times.take().empty());
}

}  // namespace dipaco::testing
