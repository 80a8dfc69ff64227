// Starts, modules and path states.

#include "core/checkpoint/checkpoint.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace dipaco::fuzz {
namespace {

constexpr Seal kSeal{.magic = "DIPACOCK", .version = 1, .noun = "checkpoint"};

}  // namespace

void try_input(Input input) {
  const auto file = file_of(input, kSeal);
  may_refuse([&] {
    const Checkpoint checkpoint = decode_checkpoint(file, "input");
    check(encode(checkpoint) == file, "one checkpoint has one encoding");
    for (const auto& [name, value] : checkpoint.facts) {
      may_refuse([&, &fact = name] { static_cast<void>(checkpoint.integer(fact, "input")); });
    }
  });
}

std::vector<Seed> seeds() {
  return sealed_seeds(encode(
      {.facts = {{"kind", "path"}, {"outer_step", "12"}}, .arrays = {{"parameters", {1, 2, 3}}, {"velocity", {}}}}));
}

}  // namespace dipaco::fuzz
