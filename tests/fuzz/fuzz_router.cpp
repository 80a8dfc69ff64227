// Routers' files.

#include "core/routing/router.hpp"
#include "core/routing/router_file.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco::fuzz {
namespace {

constexpr Seal kSeal{.magic = "DIPACORT", .version = 1, .noun = "router"};

}  // namespace

void try_input(Input input) {
  const ToyTrainer trainer;
  const auto file = file_of(input, kSeal);
  may_refuse([&] {
    const auto router = read_router(file, "input", trainer);
    check(router->encode() == file, "one router has one encoding");
    const std::vector<float> features(4);
    const std::vector<std::uint64_t> hashes{7, 8};
    static_cast<void>(router->route(features, hashes, 1));
  });
}

std::vector<Seed> seeds() {
  const ToyTrainer trainer;
  const RouterFit fit{.paths = 2, .width = 2};
  const std::vector<float> features{0, 1, 2, 3, 9, 8};
  std::vector<Seed> all = sealed_seeds(fit_router(features, fit, {.method = "random"}, trainer)->encode());
  for (Seed& seed : sealed_seeds(fit_router(features, fit, {.method = "k_means"}, trainer)->encode())) {
    all.push_back(std::move(seed));
  }
  return all;
}

}  // namespace dipaco::fuzz
