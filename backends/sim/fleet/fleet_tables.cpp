#include "backends/sim/fleet/fleet_tables.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "backends/sim/fleet/table_file.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// "GCP" and "us-east4" -> "gcp:us-east4"
std::string region_of(std::string provider, const std::string& region) {
  for (char& letter : provider) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return provider + ":" + region;
}

}  // namespace

std::string without_zone(std::string_view region) {
  const bool zoned = region.starts_with("gcp:") && region.size() > 6 && region[region.size() - 2] == '-' &&
                     std::islower(static_cast<unsigned char>(region.back())) != 0;
  return std::string(zoned ? region.substr(0, region.size() - 2) : region);
}

FleetTables read_fleet_tables(const std::filesystem::path& scenarios) {
  FleetTables tables;
  const std::filesystem::path prices = scenarios / "prices";
  for (const TableRow& row : read_table(
           prices / "devices.csv", {"device", "peak_dense_bf16_flop_per_s", "watts", "memory_gib", "note", "source"})) {
    tables.devices.push_back({row.text(0),
                              {row.number(1)},
                              {row.number(2)},
                              row.number(3),
                              row.text(4).empty() ? "bf16" : row.text(4),
                              row.text(5)});
  }
  for (const TableRow& row : read_table(prices / "machines.csv", {"device", "region", "provider", "price_usd_per_h",
                                                                  "spot_price_usd_per_h", "date", "source"})) {
    std::optional<UsdPerHour> spot;
    if (!row.text(4).empty()) spot = UsdPerHour{row.number(4)};
    tables.prices.push_back(
        {row.text(0), region_of(row.text(2), row.text(1)), {row.number(3)}, spot, row.text(5) + ", " + row.text(6)});
  }
  for (const TableRow& row : read_table(prices / "mfu.csv", {"device", "mfu_percent", "source"})) {
    tables.mfu.push_back({row.text(0), row.number(1) / 100, row.text(2)});
  }
  for (const TableRow& row : read_table(prices / "egress.csv", {"from_region", "to_region", "usd_per_gb", "date"})) {
    tables.egress[{without_zone(row.text(0)), without_zone(row.text(1))}] = {row.number(2), row.text(3)};
  }
  for (const TableRow& row :
       read_table(scenarios / "network" / "round_trips.csv", {"region", "other_region", "round_trip_ms", "date"})) {
    const std::string one = without_zone(row.text(0));
    const std::string other = without_zone(row.text(1));
    tables.round_trips[{one, other}] = {row.number(2), row.text(3)};
    tables.round_trips[{other, one}] = {row.number(2), row.text(3)};
  }
  return tables;
}

}  // namespace dipaco
