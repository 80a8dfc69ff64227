#include <catch2/catch.hpp>

#include "core/coordinator/tables/leases.hpp"

namespace dipaco::testing {

TEST_CASE("leases are taken in the order in which they end, and none before it has ended", "[coordinator]") {
  Leases leases;
  CHECK(leases.first() == std::nullopt);
  CHECK_FALSE(leases.take_ended(Seconds(100)));
  leases.add({Seconds(7), PathId{1}, OuterStep{4}, 2});
  leases.add({Seconds(5), PathId{0}, OuterStep{4}, 2});
  CHECK(leases.first() == Seconds(5));
  CHECK_FALSE(leases.take_ended(Seconds(4)));
  const auto lease = leases.take_ended(Seconds(5));
  REQUIRE(lease);
  CHECK(lease->path == PathId{0});
  CHECK(lease->outer_step == OuterStep{4});
  CHECK(lease->epoch == 2);
  CHECK(leases.first() == Seconds(7));
  CHECK_FALSE(leases.take_ended(Seconds(6)));
  REQUIRE(leases.take_ended(Seconds(8)));
  CHECK(leases.first() == std::nullopt);
}

}  // namespace dipaco::testing
