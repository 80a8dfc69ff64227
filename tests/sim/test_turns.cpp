#include <array>
#include <catch2/catch.hpp>

#include "backends/sim/network/transfer.hpp"
#include "backends/sim/network/turns.hpp"

namespace dipaco::testing {

TEST_CASE("large transfers take turns in the order in which they asked", "[sim]") {
  std::array<Transfer, 3> large;
  Turns turns;
  CHECK(turns.ask(large[0]));
  CHECK(turns.ask(large[0]));  // again, after its route was broken
  CHECK_FALSE(turns.ask(large[1]));
  CHECK_FALSE(turns.ask(large[2]));
  CHECK(turns.pass(large[1]) == nullptr);  // not its turn
  CHECK(turns.pass(large[0]) == &large[1]);
  CHECK(turns.ask(large[1]));
  CHECK(turns.pass(large[1]) == &large[2]);
  CHECK(turns.pass(large[2]) == nullptr);
  CHECK(turns.ask(large[0]));
}

TEST_CASE("a large transfer that is cancelled has no turn any more", "[sim]") {
  std::array<Transfer, 3> large;
  Turns turns;
  for (Transfer& transfer : large) turns.ask(transfer);
  turns.leave(large[1]);
  CHECK(turns.pass(large[0]) == &large[2]);
  turns.leave(large[2]);
  CHECK(turns.ask(large[1]));
}

}  // namespace dipaco::testing
