// Run files.

#include "core/config/run_file.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {

void try_input(Input input) {
  may_refuse([&] {
    const RunConfig config = parse_run_text(as_text(input), "/nowhere/input.cfg");
    const std::string dumped = dump_config(config);
    check(dump_config(parse_run_text(dumped, "/nowhere/input.cfg")) == dumped, "a dumped run file reads back");
    static_cast<void>(config_hash(config));
  });
}

std::vector<Seed> seeds() {
  std::vector<Seed> all = source_files("scenarios/runs", ".cfg");
  all.push_back(as_seed(dump_config({})));
  return all;
}

}  // namespace dipaco::fuzz
