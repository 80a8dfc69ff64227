#include "backends/sim/scenario/platform_check.hpp"

#include "backends/sim/scenario/platform_names.hpp"
#include "backends/sim/scenario/platform_words.hpp"
#include "backends/sim/scenario/profiles.hpp"
#include "backends/sim/scenario/quantities.hpp"
#include "backends/sim/scenario/simgrid_settings.hpp"

namespace dipaco {

void check_platform(const ScenarioFile& file, const std::vector<std::string>& cfg) {
  check_settings(file, cfg);
  check_words(file);
  check_quantities(file);
  check_names(file);
  check_profiles(file);
}

}  // namespace dipaco
