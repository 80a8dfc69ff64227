#include <catch2/catch.hpp>
#include <vector>

#include "backends/sim/network/slots.hpp"

namespace dipaco::testing {

TEST_CASE("a slot that is used again has another serial and nothing of the transfer before", "[sim]") {
  Slots slots;
  Pair pair;
  Transfer& first = slots.take(pair);
  const auto serial = first.serial;
  first.broken = Seconds(1);
  slots.free(first);
  CHECK(first.serial == 0);
  Transfer& again = slots.take(pair);
  CHECK(&again == &first);
  CHECK(again.serial > serial);
  CHECK(!again.broken);
  CHECK(slots.all().size() == 1);
}

TEST_CASE("a pair lists the transfers that are on their way, in whatever order they end", "[sim]") {
  Slots slots;
  Pair pair;
  Transfer& a = slots.take(pair);
  Transfer& b = slots.take(pair);
  Transfer& c = slots.take(pair);
  slots.free(a);
  CHECK(pair.transfers == std::vector<Transfer*>{&c, &b});  // the last one takes the place that is free
  slots.free(c);
  CHECK(pair.transfers == std::vector<Transfer*>{&b});
  slots.free(b);
  CHECK(pair.transfers.empty());
}

}  // namespace dipaco::testing
