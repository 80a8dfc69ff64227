// What strangers may write where nodes look for the coordinator, without a secret: with one nothing else opens.

#include "backends/gloo/meeting/rendezvous_entry.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {

void try_input(Input input) {
  const EntryFormat format("run", nullptr);
  const auto found = format.open(file_of(input, kEntrySeal));
  if (found) check(format.open(format.seal(*found)) == found, "a place that was read can be written");
}

std::vector<Seed> seeds() { return sealed_seeds(EntryFormat("run", nullptr).seal({"127.0.0.1", 4711})); }

}  // namespace dipaco::fuzz
