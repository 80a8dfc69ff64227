#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "core/queue/exchange_times.hpp"
#include "tests/queue/sites.hpp"

namespace dipaco::testing {
namespace {

/// Lines of one rate each way between every two of the three sites, but for one way.
LineTable lines(double rate, double west_to_north) {
  LineTable table;
  for (const SiteId from : {kEast, kWest, kNorth}) {
    for (const SiteId to : {kEast, kWest, kNorth}) {
      if (from != to) table.pairs[{from, to}] = rate;
    }
  }
  table.pairs[{kWest, kNorth}] = west_to_north;
  return table;
}

/// Two modules of a level that half of all paths go through, one of the east and one of the north: 100 bytes as
/// gradients and as sums of these, 80 as versions.
ExchangeTimes two_modules(const LineTable& table) {
  ExchangeTimes exchange;
  exchange.known_are(std::make_shared<LineTable>(table));
  for (const std::int32_t expert : {0, 1}) {
    exchange.module_is({0, expert},
                       {.share = 0.5, .gradient = {Bytes{100}, Bytes{100}}, .version = {Bytes{80}, Bytes{80}}});
  }
  exchange.owned_at({0, 0}, kEast);
  exchange.owned_at({0, 1}, kNorth);
  return exchange;
}

}  // namespace

TEST_CASE("what a site's tasks give takes as long as the slowest way of a module's owner", "[queue]") {
  const ExchangeTimes exchange = two_modules(lines(10, 5));
  // One task goes through a module with probability 1/2, one of two with 3/4.
  CHECK(exchange.after(kEast, 1, false).count() == Approx(0.5 * 100 / 10));
  CHECK(exchange.after(kWest, 2, false).count() == Approx(0.75 * 100 / 5));
  CHECK(exchange.after(kWest, 2, true).count() == Approx(0.75 * 100 / 5 + 0.75 * 80 / 10));
  CHECK(exchange.after(kWest, 0, true) == Seconds(0));
}

TEST_CASE("a sum of outer gradients goes where it is smaller than they are alone", "[queue]") {
  ExchangeTimes exchange = two_modules(lines(10, 10));
  exchange.owned_at({0, 0}, kNorth);
  const auto gives = [&](Crossing gradient, std::int64_t tasks) {
    for (const std::int32_t expert : {0, 1}) exchange.module_is({0, expert}, {.share = 0.5, .gradient = gradient});
    return exchange.after(kWest, tasks, false).count() * 10 / 2;  // bytes of each module
  };
  CHECK(gives({Bytes{40}, Bytes{100}}, 1) == Approx(0.5 * 40));
  CHECK(gives({Bytes{40}, Bytes{100}}, 2) == Approx(2 * 0.5 * 40));
  CHECK(gives({Bytes{40}, Bytes{100}}, 100) == Approx(100));
  CHECK(gives({Bytes{40}}, 100) == Approx(100 * 0.5 * 40));  // none is added
}

TEST_CASE("what goes over one line of a site together takes that line as long", "[queue]") {
  LineTable table = lines(10, 10);
  table.out[kWest] = 12;
  table.in[kEast] = 20;
  const ExchangeTimes exchange = two_modules(table);
  CHECK(exchange.after(kWest, 2, false).count() == Approx(2 * 0.75 * 100 / 12));
  // The east's module gets the gradients of two tasks of the west and of one of the north.
  CHECK(exchange.at_owners({{kWest, 2}, {kNorth, 1}}).count() == Approx((75.0 + 50) / 20));
  CHECK(exchange.at_owners({{kEast, 4}}) == Seconds(0));
}

TEST_CASE("what was measured counts before what was known - where nothing is known, all takes no time", "[queue]") {
  ExchangeTimes exchange = two_modules(lines(10, 10));
  const auto before = exchange.changes();
  exchange.way_takes(kWest, kNorth, 2);
  CHECK(exchange.changes() != before);
  CHECK(exchange.after(kWest, 2, false).count() == Approx(75 * 2));
  exchange.owned_at({0, 1}, kNowhere);
  CHECK(exchange.after(kWest, 2, false).count() == Approx(75.0 / 10));
  exchange.known_are(nullptr);
  CHECK(exchange.way(kWest, kNorth) == 2);
  CHECK(exchange.way(kEast, kWest) == std::nullopt);
  CHECK(exchange.after(kWest, 2, true) == Seconds(0));
}

}  // namespace dipaco::testing
