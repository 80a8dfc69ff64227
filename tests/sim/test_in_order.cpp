#include <catch2/catch.hpp>
#include <string>

#include "backends/sim/network/in_order.hpp"
#include "tests/sim/simulated.hpp"

namespace dipaco::testing {
namespace {

/// The messages that are handed over when message `number` is there, as "3 4 ".
std::string arrive(InOrder& order, std::uint64_t number) {
  std::string handed_over;
  order.arrive(number, {.message = sized_message(1, static_cast<std::int32_t>(number))},
               [&](const Envelope& envelope) { handed_over += std::to_string(number_of(envelope)) + " "; });
  return handed_over;
}

}  // namespace

TEST_CASE("what overtakes is handed over behind what it has overtaken", "[sim]") {
  InOrder order;
  for (std::uint64_t k = 0; k < 5; ++k) CHECK(order.next_number() == k);
  CHECK(arrive(order, 2).empty());
  CHECK(arrive(order, 1).empty());
  CHECK(arrive(order, 0) == "0 1 2 ");
  CHECK(arrive(order, 4).empty());
  CHECK_FALSE(order.empty());
  CHECK(arrive(order, 3) == "3 4 ");
  CHECK(order.empty());
}

TEST_CASE("what is lost holds nothing up that is sent later", "[sim]") {
  InOrder order;
  for (int k = 0; k < 3; ++k) order.next_number();
  CHECK(arrive(order, 1).empty());  // lost, too, with 0 and 2: it has not been handed over
  order.lose();
  CHECK(order.empty());
  CHECK(order.next_number() == 3);
  CHECK(arrive(order, 3) == "3 ");
}

}  // namespace dipaco::testing
