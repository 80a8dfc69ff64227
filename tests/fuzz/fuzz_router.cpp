// Routers' files.

#include "core/routing/linear_router.hpp"
#include "core/routing/router.hpp"
#include "core/routing/router_file.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/toy_trainer.hpp"

namespace dipaco::fuzz {
namespace {

constexpr Seal kSeal{.magic = "DIPACORT", .version = 2, .noun = "router"};

}  // namespace

void try_input(Input input) {
  const ToyTrainer trainer;
  const auto file = file_of(input, kSeal);
  may_refuse([&] {
    const auto router = read_router(file, "input", trainer);
    check(router->encode() == file, "one router has one encoding");
    const std::vector<std::uint64_t> hashes{7, 8};
    const std::vector<float> features(hashes.size() * static_cast<std::size_t>(router->width()), 1.0F);
    const auto routes = router->route(features, hashes, 1);
    check(routes.size() == 2 && index(routes[0]) < router->paths(), "a document goes to a path that is there");
  });
}

std::vector<Seed> seeds() {
  const ToyTrainer trainer;
  const RouterFit fit{.paths = 2, .width = 2, .levels = {2, 1}};
  const std::vector<float> features{0, 1, 2, 3, 9, 8};
  const std::vector<PathId> labels{PathId{0}, PathId{1}, PathId{1}};
  std::vector<std::unique_ptr<Router>> routers;
  for (const auto* method : {"random", "k_means", "product_k_means"}) {
    routers.push_back(fit_router(features, fit, {.method = method}, trainer));
  }
  routers.push_back(fit_linear_router(features, labels, {.paths = 2, .width = 2}, trainer));
  std::vector<Seed> all;
  for (const auto& router : routers) {
    for (Seed& seed : sealed_seeds(router->encode())) all.push_back(std::move(seed));
  }
  return all;
}

}  // namespace dipaco::fuzz
