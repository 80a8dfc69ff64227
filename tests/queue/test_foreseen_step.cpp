#include <catch2/catch.hpp>
#include <memory>

#include "core/queue/places/foreseen_step.hpp"
#include "tests/queue/sites.hpp"

namespace dipaco::testing {
namespace {

/// Three equal workers, two of the east and one of the west, whose tasks take 10 s.
Fleet three_workers() {
  Fleet fleet;
  fleet.cost_is({.inner_step = 1, .lengths = TaskLengths(10)});
  fleet.up(NodeId{10}, kEast, 1, true);
  fleet.up(NodeId{11}, kEast, 1, true);
  fleet.up(NodeId{20}, kWest, 1, true);
  return fleet;
}

/// One module of the east that all paths share.
ExchangeTimes one_module(std::uint64_t bytes, double rate) {
  ExchangeTimes exchange;
  auto lines = std::make_shared<LineTable>();
  lines->pairs = {{{kEast, kWest}, rate}, {{kWest, kEast}, rate}};
  exchange.known_are(lines);
  exchange.module_is({0, 0}, {.share = 1, .gradient = {Bytes{bytes}, Bytes{bytes}}});
  exchange.owned_at({0, 0}, kEast);
  return exchange;
}

}  // namespace

TEST_CASE("a step ends with what its last task gives, wherever that is done", "[queue]") {
  ExchangeTimes near = one_module(50, 10);
  // Six tasks: two each, and the west's outer gradients need 5 s more.
  CHECK(foresee_step(three_workers(), near, 6).end.count() == Approx(25));
  // With 15 s it does one, and a worker of the east three.
  ExchangeTimes far = one_module(150, 10);
  CHECK(foresee_step(three_workers(), far, 6).end.count() == Approx(30));
  // With 25 s it does none.
  ExchangeTimes farther = one_module(250, 10);
  CHECK(foresee_step(three_workers(), farther, 6).end.count() == Approx(30));
}

TEST_CASE("a step ends when the owner's line has carried what all give, and at once where nothing is known of lines",
          "[queue]") {
  auto lines = std::make_shared<LineTable>();
  lines->pairs = {{{kEast, kWest}, 1e6}, {{kWest, kEast}, 1e6}};
  lines->in = {{kEast, 2}, {kWest, 1e6}};
  ExchangeTimes exchange = one_module(100, 1);
  exchange.known_are(lines);
  CHECK(foresee_step(three_workers(), exchange, 6).end.count() == Approx(50));  // 100 bytes at 2 a second
  exchange.known_are(nullptr);
  CHECK(foresee_step(three_workers(), exchange, 6).end.count() == Approx(20));
}

}  // namespace dipaco::testing
