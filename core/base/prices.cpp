#include "core/base/prices.hpp"

#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr double kHour = 3600;
constexpr double kMostUsd = 1e9;  // of one price: nobody pays it, and sums of it stay finite

/// The number before `unit`, which ends the text.
std::optional<double> number_of(std::string_view text, std::string_view unit) {
  text = trim(text);
  if (!text.ends_with(unit)) return std::nullopt;
  const auto number = parse_number(trim(text.substr(0, text.size() - unit.size())));
  return number && *number >= 0 && *number <= kMostUsd ? number : std::nullopt;
}

}  // namespace

Usd cost_of(UsdPerHour price, Seconds time) { return {price.value * time.count() / kHour}; }

Usd cost_of(const EgressPrice& price, Bytes bytes) {
  return {price.usd * static_cast<double>(bytes.value) / static_cast<double>(price.unit.value)};
}

Usd cost_of(UsdPerKilowattHour price, KilowattHours used) { return {price.value * used.value}; }

KilowattHours energy_of(Watts power, Seconds time) { return {power.value * time.count() / (1000 * kHour)}; }

std::string human_amount(double amount) { return format_fixed(amount, amount < 1 ? 4 : 2); }

std::optional<UsdPerHour> parse_usd_per_hour(std::string_view text) {
  const auto usd = number_of(text, "USD/h");
  return usd ? std::optional(UsdPerHour{*usd}) : std::nullopt;
}

std::optional<UsdPerKilowattHour> parse_usd_per_kilowatt_hour(std::string_view text) {
  const auto usd = number_of(text, "USD/kWh");
  return usd ? std::optional(UsdPerKilowattHour{*usd}) : std::nullopt;
}

std::optional<EgressPrice> parse_egress_price(std::string_view text) {
  if (const auto usd = number_of(text, "USD/GB")) return EgressPrice{.usd = *usd, .unit = Bytes{1'000'000'000}};
  if (const auto usd = number_of(text, "USD/GiB")) return EgressPrice{.usd = *usd, .unit = Bytes{1ULL << 30U}};
  return std::nullopt;
}

}  // namespace dipaco
