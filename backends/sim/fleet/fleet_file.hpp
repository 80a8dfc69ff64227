#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dipaco {

/// What a fleet file says of one key, and where.
struct FleetValue {
  std::string text;
  int line = 0;
};
using FleetValues = std::map<std::string, FleetValue>;

/// One `[site NAME]`.
struct FleetSite {
  std::string name;
  int line = 0;
  FleetValues said;  ///< completed by what [fleet] says of all sites
};

/// A value of [links] or [round_trips]: of all pairs of sites ("default"), of a site's, or of one pair ("a-b").
struct FleetPairValue {
  std::string of;
  FleetValue value;
};

/// A short description of sites and what is between them, as it is written (docs/fleet.md).
struct FleetFile {
  std::filesystem::path path;
  int line = 0;       ///< of [fleet], or 1
  FleetValues whole;  ///< keys of [fleet] that are of no site: run, coordinator, prices, tcp...
  std::vector<FleetSite> sites;
  std::vector<FleetPairValue> links;
  std::vector<FleetPairValue> round_trips;

  /// "FILE:LINE"
  std::string at(int line_number) const { return path.string() + ":" + std::to_string(line_number); }
};

/// Keys of a site that become props of its zone under the same name, without a figure from a table.
inline constexpr std::array<std::string_view, 17> kPlainSiteProps{"preemption",
                                                                  "preemption_time_scale",
                                                                  "preemption_offset",
                                                                  "preemption_end",
                                                                  "reclaims",
                                                                  "given_back",
                                                                  "capacity",
                                                                  "mtbf",
                                                                  "mttr",
                                                                  "failures",
                                                                  "repair",
                                                                  "start_up",
                                                                  "jitter",
                                                                  "step_time",
                                                                  "pue",
                                                                  "power_price",
                                                                  "preemption_machine_scale"};

/// @throws ConfigError "FILE:LINE: what; what to write": what read_ini throws, an unknown section or key (with the
///         nearest), a key or site twice, a site's name that is none, no site, a pair of sites that are not there;
///         DataError where the file cannot be read
FleetFile read_fleet_file(const std::filesystem::path& file);
/// The same for text that came from elsewhere; `name` stands for the file.
FleetFile parse_fleet_text(std::string_view text, const std::filesystem::path& name);

}  // namespace dipaco
