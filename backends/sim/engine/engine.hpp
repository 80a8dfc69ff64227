#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/sim/scenario/changes.hpp"
#include "backends/sim/scenario/options.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/scenario/scenario_file.hpp"

namespace simgrid::s4u {
class Engine;
}

namespace dipaco {

/// SimGrid's engine with a scenario loaded. One a process: a second one would begin at the first one's time.
class SimEngine {
 public:
  /// @param cfg  "KEY:VALUE" each, for SimGrid; stronger than the scenario's <config>
  /// @throws ConfigError, or SimGrid's own errors, or ends the process by SimGrid's assertions: see rehearse()
  SimEngine(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<std::string>& cfg);
  ~SimEngine();
  SimEngine(const SimEngine&) = delete;
  SimEngine& operator=(const SimEngine&) = delete;

  /// Changes links whose name fits: the link's, that of both its directions, or any by a `*`.
  /// @throws ConfigError where none does, with the nearest name
  void change_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes) const;
  /// Links of these names, as above, carry whatever is sent at once: each has the bandwidth of all together. Their
  /// latency stays. @returns SimGrid's names of them @throws ConfigError as above
  std::vector<std::string> widen_links(const ScenarioFile& file, const std::vector<std::string>& names) const;
  /// Zones that hold hosts, both in the order of the file.
  std::vector<PlatformZone> zones(const ScenarioFile& file) const;
  /// @throws ConfigError where two hosts that have to talk have no route, as far as pairs_to_check shows it
  void check_routes(const ScenarioFile& file, const Placement& placement) const;
  /// Links that none of those routes crosses, by name. Call after check_routes.
  std::vector<std::string> unused_links(const ScenarioFile& file, const Placement& placement) const;
  /// The network model with its factors, for summary and screen.
  std::string network_model() const;

 private:
  std::unique_ptr<simgrid::s4u::Engine> engine_;
  std::string tcp_;  ///< where TCP-gamma comes from
};

/// SimGrid's version, "3.32.0".
std::string simgrid_version();

}  // namespace dipaco
