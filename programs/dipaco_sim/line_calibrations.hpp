#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/run_files.hpp"
#include "programs/dipaco_sim/shared/loaded_scenario.hpp"

namespace dipaco {

/// A figure of a host, a site or a link, and where it is from.
struct Calibration {
  std::string of;  ///< "host:a-1"
  std::string prop;
  std::string value;
  std::string source;
};

/// What large messages of real runs got on the lines between sites: bandwidth and jitter of the link that limits them
/// most. A link whose bandwidth varies as the scenario says stays as it is, and none gets more than it has.
/// @param named  the runs, for a person. REQUIRES the scenario's engine
std::vector<Calibration> line_calibrations(const LoadedScenario& loaded, std::span<const analysis::Run> runs,
                                           const std::string& named);

}  // namespace dipaco
