#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/scenario/scenario_file.hpp"
#include "core/base/units.hpp"

namespace dipaco {

// Our props of a link.
inline constexpr std::string_view kLinkRatesProp = "bandwidth_over_time";  ///< a CSV
inline constexpr std::string_view kOutagesProp = "outages";                ///< of a zone or a link
inline constexpr std::string_view kLinkJitterProp = "jitter";              ///< of a link; of a host it is another one

/// What our props of one zone say. Names and meaning: docs/scenarios.md.
struct ZoneOptions {
  std::string zone;
  int line = 0;  ///< of the zone's element
  bool root = false;
  std::optional<ScenarioProp> run{};          ///< root: the run file
  std::optional<ScenarioProp> coordinator{};  ///< root: a host
  std::optional<ScenarioProp> workers{};      ///< hosts, as the three below
  std::optional<ScenarioProp> executors{};
  std::optional<ScenarioProp> store{};
  std::optional<ScenarioProp> evaluators{};
  std::optional<ScenarioProp> preemption{};  ///< CSV of available machines over time
  std::optional<ScenarioProp> preemption_time_scale{};
  std::optional<ScenarioProp> preemption_machine_scale{};
  std::optional<ScenarioProp> preemption_offset{};  ///< where in the CSV the run begins
  std::optional<ScenarioProp> preemption_end{};     ///< what comes after its last row
  std::optional<ScenarioProp> reclaims{};           ///< law: until all machines go at once
  std::optional<ScenarioProp> given_back{};         ///< law: until they are back
  std::optional<ScenarioProp> capacity{};           ///< so many machines at most, from when to when
  std::optional<ScenarioProp> outages{};            ///< all machines are off, from when to when
  Seconds notice{0};                                ///< before a machine goes off

  /// The first prop that has the zone's owner take machines away; null: none does.
  const ScenarioProp* taken_by() const;
};

/// `8 x 80GiB`: devices that share a batch's rows, each with the path's whole state.
struct DeviceMemory {
  std::int64_t devices = 1;
  Bytes each;
  int line = 0;
};

/// What our props of a host say, or those of its zone where the host says nothing.
struct HostOptions {
  std::string host;
  int line = 0;
  std::optional<ScenarioProp> role{};
  std::optional<double> mfu{};             ///< share of the host's speed that training reaches, in (0, 1]
  std::optional<Seconds> step_time{};      ///< of an inner step, whatever the host's speed; not beside mfu
  std::optional<Seconds> mtbf{};           ///< mean time between failures, exponential
  std::optional<Seconds> mttr{};           ///< mean time to repair, exponential
  std::optional<ScenarioProp> failures{};  ///< law: until it fails; in place of mtbf
  std::optional<ScenarioProp> repair{};    ///< law: until it is repaired
  std::optional<Seconds> start_up{};       ///< from when the machine comes back until its nodes begin
  std::optional<double> jitter{};          ///< of what it takes to compute: deviation of the logarithm, 0 or more
  std::optional<BytesPerSecond> disk{};    ///< at which its disk reads, and writes
  std::optional<BytesPerSecond> intake{};  ///< at which each of its nodes takes in messages
  std::optional<DeviceMemory> memory{};    ///< of what it trains on
};

/// All props of ours in one scenario, checked one by one.
struct ScenarioOptions {
  bool ours = false;                              ///< some prop of ours is there: unknown ones are errors
  std::vector<ZoneOptions> zones;                 ///< in the order of the file
  std::map<std::string, HostOptions> hosts;       ///< by name: those with a prop of ours
  std::map<std::string, HostOptions> zone_hosts;  ///< by zone: what a zone says of all its hosts
  std::string tcp{};                              ///< root: tuned or untuned, where the scenario names it
  std::optional<double> tcp_streams{};            ///< root: parallel TCP connections a transfer
  std::optional<Bytes> tcp_window{};              ///< root: of each
  bool draws_ties = false;                        ///< root: of equal workers a drawn one is the first (ties.hpp)

  const ZoneOptions* zone(const std::string& name) const;
  /// The host's own props, completed by its zone's.
  HostOptions host(const std::string& name, const std::string& zone) const;
};

/// @throws ConfigError naming file, line, value and remedy: unknown prop (with the nearest known one), a prop on an
///         element where it means nothing, a value without unit or out of range
ScenarioOptions read_options(const ScenarioFile& file);

}  // namespace dipaco
