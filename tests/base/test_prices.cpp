#include <catch2/catch.hpp>

#include "core/base/prices.hpp"

using namespace dipaco;

TEST_CASE("a price has its unit, with or without a space, and is not below 0", "[base]") {
  CHECK(parse_usd_per_hour("2.50 USD/h") == UsdPerHour{2.5});
  CHECK(parse_usd_per_hour(" 0USD/h ") == UsdPerHour{0});
  CHECK(parse_usd_per_kilowatt_hour("0.12 USD/kWh") == UsdPerKilowattHour{0.12});
  for (const char* const wrong : {"2.50", "USD/h", "", "-1 USD/h", "2.50 EUR/h", "2.50 usd/h", "2.50 USD", "many USD/h",
                                  "nan USD/h", "inf USD/h", "2e9 USD/h", "1 USD/kWh", "2 2 USD/h"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_usd_per_hour(wrong));
  }
  CHECK_FALSE(parse_usd_per_kilowatt_hour("0.12 USD/h"));
}

TEST_CASE("a GB is 10^9 bytes and a GiB 2^30, and bytes cost their part of it", "[base]") {
  const auto gb = parse_egress_price("0.09 USD/GB");
  const auto gib = parse_egress_price("0.09 USD/GiB");
  REQUIRE((gb && gib));
  CHECK(gb->unit == Bytes{1'000'000'000});
  CHECK(gib->unit == Bytes{1'073'741'824});
  CHECK(cost_of(*gb, Bytes{2'500'000'000}).value == 0.09 * 2.5e9 / 1e9);
  CHECK(cost_of(*gib, Bytes{1'073'741'824}).value == 0.09);
  for (const char* const wrong : {"0.09", "0.09 USD/TB", "-0.09 USD/GB", "USD/GB", "x USD/GB"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_egress_price(wrong));
  }
}

TEST_CASE("an hour costs its price, and a kilowatt for an hour is a kilowatt hour", "[base]") {
  CHECK(cost_of(UsdPerHour{2.5}, Seconds(3600)).value == 2.5);
  CHECK(cost_of(UsdPerHour{3.6}, Seconds(1)).value == 3.6 / 3600);
  CHECK(energy_of(Watts{400}, Seconds(3600)).value == 0.4);
  CHECK(cost_of(UsdPerKilowattHour{0.12}, KilowattHours{2}).value == 0.24);
}

TEST_CASE("amounts have two digits after the point, and four below one", "[base]") {
  CHECK(human_amount(86.094) == "86.09");
  CHECK(human_amount(1) == "1.00");
  CHECK(human_amount(0.07331) == "0.0733");
  CHECK(human_amount(0) == "0.0000");
}
