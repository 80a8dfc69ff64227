#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/prices.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// An accelerator, of prices/devices.csv.
struct DeviceRow {
  std::string name;
  FlopsPerSecond peak;  ///< dense, bf16
  Watts watts;
  double memory_gib = 0;
  std::string precision;  ///< of the peak: "bf16", or why it is another one
  std::string source;
};

/// What an hour of one device costs in a region, of prices/machines.csv.
struct DevicePrice {
  std::string device;
  std::string region;  ///< "gcp:us-east4"
  UsdPerHour on_demand;
  std::optional<UsdPerHour> spot;
  std::string source;  ///< with its date
};

/// A share of its peak that a device was seen to reach in training, of prices/mfu.csv.
struct SeenMfu {
  std::string device;
  double share = 0;
  std::string source;
};

/// A figure of two regions.
struct DatedFigure {
  double value = 0;
  std::string date;
};
using RegionPair = std::pair<std::string, std::string>;

/// The shipped tables that a fleet's figures come from (scenarios/prices/README.md, scenarios/network/README.md).
/// Regions are `cloud:region`, a GCP one without its zone, or a city.
struct FleetTables {
  std::vector<DeviceRow> devices;
  std::vector<DevicePrice> prices;
  std::vector<SeenMfu> mfu;
  std::map<RegionPair, DatedFigure> egress;       ///< USD for a GB (10^9 bytes), from the first to the second
  std::map<RegionPair, DatedFigure> round_trips;  ///< in ms, by both orders
};

/// "gcp:us-east4" of "gcp:us-east4-a"; others as they are.
std::string without_zone(std::string_view region);

/// @param scenarios  the folder that has prices/ and network/. @throws DataError where a table is not there or damaged
FleetTables read_fleet_tables(const std::filesystem::path& scenarios);

}  // namespace dipaco
