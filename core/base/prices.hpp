#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/units.hpp"

namespace dipaco {

using Usd = Quantity<struct UsdTag, double>;
using UsdPerHour = Quantity<struct UsdPerHourTag, double>;
using Watts = Quantity<struct WattsTag, double>;
using KilowattHours = Quantity<struct KilowattHoursTag, double>;
using UsdPerKilowattHour = Quantity<struct UsdPerKilowattHourTag, double>;

/// A price of bytes: `usd` for each `unit` of them, a GB (10^9) or a GiB (2^30).
struct EgressPrice {
  double usd = 0;
  Bytes unit{1'000'000'000};
  friend bool operator==(const EgressPrice&, const EgressPrice&) = default;
};

/// price x seconds / 3,600
Usd cost_of(UsdPerHour price, Seconds time);
/// price x bytes / bytes of its unit
Usd cost_of(const EgressPrice& price, Bytes bytes);
/// price x energy
Usd cost_of(UsdPerKilowattHour price, KilowattHours used);
/// watts x seconds / 3,600,000
KilowattHours energy_of(Watts power, Seconds time);

/// For a person: dollars and cents, or any other amount: two digits after the point, of less than one four.
std::string human_amount(double amount);

// What people write: a number of 0 or more and its unit, with or without a space between. Nullopt where the unit is
// missing or another, or the number is none, below 0 or above 10^9.

/// "2.50 USD/h"
std::optional<UsdPerHour> parse_usd_per_hour(std::string_view text);
/// "0.12 USD/kWh"
std::optional<UsdPerKilowattHour> parse_usd_per_kilowatt_hour(std::string_view text);
/// "0.09 USD/GB" (10^9 bytes), "0.09 USD/GiB" (2^30 bytes)
std::optional<EgressPrice> parse_egress_price(std::string_view text);

}  // namespace dipaco
