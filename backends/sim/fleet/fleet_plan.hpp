#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backends/sim/fleet/fleet_file.hpp"
#include "backends/sim/fleet/fleet_tables.hpp"

namespace dipaco {

/// A value that the scenario will have.
struct PlannedValue {
  std::string value;   ///< as a scenario writes it
  std::string source;  ///< where it is from, for a person
  int line = 0;        ///< of the fleet file, where it says so, or where it says what needs it
};

/// A prop of a zone or host.
struct PlannedProp {
  std::string name;
  PlannedValue is;
};

/// A site: machines that are alike, and one without accelerators for its store and an executor.
struct PlannedSite {
  std::string name;
  int line = 0;
  int machines = 0;
  PlannedValue speed;                    ///< of a machine
  PlannedValue adapter;                  ///< rate of each machine's
  std::vector<PlannedProp> props;        ///< of the zone
  std::vector<PlannedProp> files_props;  ///< of the machine without accelerators

  std::string files() const { return name + "-files"; }
  std::string machine(int number) const { return name + "-" + std::to_string(number); }
  const PlannedValue* prop(const std::string& prop_name) const;  ///< null: it has none
};

/// The link between two sites.
struct PlannedLink {
  std::string a;
  std::string b;
  PlannedValue bandwidth;
  PlannedValue latency;
};

/// All that a fleet's scenario has. Names of files are absolute.
struct PlannedFleet {
  std::filesystem::path made_of;  ///< the fleet file
  int line = 0;
  std::vector<PlannedProp> root;
  std::vector<PlannedSite> sites;
  std::vector<PlannedLink> links;  ///< of all pairs of sites, in their order
};

/// Where a fleet's figures come from.
struct FleetSources {
  const FleetTables& tables;
  std::filesystem::path scenarios;  ///< where a file is looked for that is not beside the fleet file
};

/// Completes a fleet by figures of the tables; what the file says itself comes first.
/// @throws ConfigError naming file, line and what to write: a device, region or pair of regions that no table has (with
///         the nearest), a price that is in none, a file that is not there; DataError for a preemption CSV
PlannedFleet plan_fleet(const FleetFile& file, const FleetSources& sources);

}  // namespace dipaco
