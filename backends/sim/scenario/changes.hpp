#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"

namespace dipaco {

/// A change of a scenario from outside: "link:NAME.bandwidth=10Mbps", "link:NAME.latency=5ms", "zone:NAME.PROP=VALUE",
/// "host:NAME.PROP=VALUE" (docs/scenarios.md, "Changes from the command line").
struct ScenarioChange {
  enum class Of : std::uint8_t { link, zone, host };
  Of of{};
  std::string name;
  std::string what;  ///< bandwidth, latency, or a prop
  std::string value;
  std::string text;  ///< as it was given
};

/// Whether a setting changes the scenario, and not the run file.
bool changes_scenario(std::string_view setting);
/// @throws ConfigError where it is none, or of a link the value is no rate or time
ScenarioChange parse_change(const std::string& setting);

/// What the prop `changes` of the root zone says: changes, with semicolons between. @throws ConfigError with its line
std::vector<ScenarioChange> said_changes(const ScenarioFile& file);

/// Changes the props of zones and hosts. @throws ConfigError where a zone is not there, with the nearest name
void change_props(ScenarioFile& file, const std::vector<ScenarioChange>& changes);
/// @throws ConfigError where a change is of a host that is not there, with the nearest name
void check_hosts(const std::vector<ScenarioChange>& changes, std::span<const PlatformZone> zones);

/// Whether `name` is `pattern`, in which each `*` stands for any letters.
bool fits(std::string_view pattern, std::string_view name);

}  // namespace dipaco
