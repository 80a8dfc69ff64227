// Scenarios: our own reader of their XML, what it refuses before SimGrid's, and our props. SimGrid's reader is not in
// it.

#include "backends/sim/platform/platform_check.hpp"
#include "backends/sim/scenario/options.hpp"
#include "backends/sim/scenario/scenario_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {

void try_input(Input input) {
  const InputFile file(input);
  may_refuse([&] { check_platform(ScenarioFile(file.path()), {}); });
  may_refuse([&] {
    const ScenarioFile scenario(file.path());
    static_cast<void>(scenario.config("network/model"));
    const ScenarioOptions options = read_options(scenario);
    if (scenario.elements().empty()) return;
    const std::string id = scenario.elements().back().id();
    static_cast<void>(scenario.line_of_host(id, id));
    static_cast<void>(options.host(id, id));
  });
}

std::vector<Seed> seeds() { return source_files("scenarios", ".xml"); }

}  // namespace dipaco::fuzz
