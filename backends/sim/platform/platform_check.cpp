#include "backends/sim/platform/platform_check.hpp"

#include "backends/sim/platform/platform_names.hpp"
#include "backends/sim/platform/platform_words.hpp"
#include "backends/sim/platform/profiles.hpp"
#include "backends/sim/platform/quantities.hpp"
#include "backends/sim/platform/simgrid_settings.hpp"

namespace dipaco {

void check_platform(const ScenarioFile& file, const std::vector<std::string>& cfg) {
  check_settings(file, cfg);
  check_words(file);
  check_quantities(file);
  check_names(file);
  check_profiles(file);
}

}  // namespace dipaco
