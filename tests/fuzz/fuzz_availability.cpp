// Traces of available machines (CSV).

#include "backends/sim/timeline/availability.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {

void try_input(Input input) {
  const InputFile file(input);
  may_refuse([&] {
    const auto steps = read_availability(file.path());
    check(!steps.empty() && steps.front().time == Seconds(0), "a trace starts at 0");
    for (std::size_t i = 1; i < steps.size(); ++i) check(steps[i - 1].time < steps[i].time, "times rise");
  });
}

std::vector<Seed> seeds() {
  return {as_seed("# made up\ntime_s,available\n0,4\n300,2\n1e3,0\n"),
          as_seed("time_s,available\r\n0,1\r\n0.5,12\r\n")};
}

}  // namespace dipaco::fuzz
