#pragma once

#include <string>

#include "backends/sim/fleet/fleet_plan.hpp"

namespace dipaco {

/// `machines=2 x 8 H100`
struct FleetMachines {
  int machines = 0;
  int devices = 0;  ///< of each machine
  std::string device;
  int line = 0;
};

/// What a fleet file says of one site, and the tables of what it leaves out. All throw ConfigError with file and line.
class SiteFigures {
 public:
  /// All must outlive it.
  SiteFigures(const FleetFile& file, const FleetSite& site, const FleetTables& tables);

  const FleetMachines& machines() const { return machines_; }
  /// What the site says of a key; null: nothing.
  const FleetValue* said(const std::string& key) const;
  /// The region that `key` names, or the first that one of the keys names which stand for it: egress_region,
  /// price_region, region. Without a GCP zone. @throws ConfigError where none is named; `what_else` goes without one
  FleetValue region(const std::string& key, const std::string& what_else) const;

  PlannedValue speed() const;
  PlannedValue mfu() const;
  /// Of each machine's devices; nullopt: nobody says.
  std::optional<PlannedValue> memory() const;
  PlannedValue watts() const;
  /// Of a machine an hour on demand, or while its owner takes it away and gives it back.
  PlannedValue price() const;
  PlannedValue spot_price() const;
  /// The notice of the cloud that the site is in; "": it is in none that has one.
  PlannedValue notice() const;
  /// `key` as it is said; else `choice`.
  PlannedValue said_or(const std::string& key, const std::string& choice, const std::string& source) const;
  PlannedValue as_said(const FleetValue& value) const;

  [[noreturn]] void fail(int line, const std::string& what) const;

 private:
  FleetMachines read_machines() const;
  /// @param key  what the file may say instead
  const DeviceRow& device(const std::string& key) const;
  const DevicePrice& listed_price(const std::string& key) const;
  PlannedValue hourly(UsdPerHour of_one, const DevicePrice& listed) const;

  const FleetFile& file_;
  const FleetSite& site_;
  const FleetTables& tables_;
  FleetMachines machines_;
};

/// The number in decimal, rounded to so many digits after the point, without zeros at its end.
std::string rounded(double value, int digits);

}  // namespace dipaco
