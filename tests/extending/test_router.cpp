// "A router" of docs/extending.md: one that deals documents out by their hash.

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <vector>

#include "backends/loopback/run.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/plan/plan.hpp"
#include "core/routing/router_file.hpp"
#include "tests/extending/named.hpp"
#include "tests/prepare/made_run.hpp"

namespace dipaco {
namespace {

using testing::error_of;
using testing::MadeRun;

class ModuloRouter final : public Router {
 public:
  ModuloRouter(std::int32_t paths, std::uint64_t shift) : paths_(paths), shift_(shift) {}

  std::int32_t paths() const override { return paths_; }
  std::int64_t width() const override { return 0; }
  std::vector<float> scores(std::span<const float> /*features*/, std::span<const std::uint64_t> hashes) const override {
    std::vector<float> scores;
    for (const std::uint64_t hash : hashes) {
      for (std::int32_t path = 0; path < paths_; ++path) scores.push_back(path == best(hash) ? 1.0F : 0.0F);
    }
    return scores;
  }
  std::vector<PathId> route(std::span<const float> /*features*/, std::span<const std::uint64_t> hashes,
                            std::int32_t n) const override {
    std::vector<PathId> routes;
    for (const std::uint64_t hash : hashes) {
      for (std::int32_t k = 0; k < n; ++k) routes.push_back(PathId{(best(hash) + k) % paths_});
    }
    return routes;
  }
  std::vector<std::byte> encode() const override {
    ByteWriter writer = begin_router("modulo");
    writer.value(paths_);
    writer.value(shift_);
    return finish_router(std::move(writer), {});
  }

 private:
  std::int32_t best(std::uint64_t hash) const {
    return static_cast<std::int32_t>((hash + shift_) % static_cast<std::uint64_t>(paths_));
  }

  std::int32_t paths_;
  std::uint64_t shift_;
};

NamedParts parts_with_modulo(std::uint64_t shift = 0) {
  NamedParts parts;
  parts.routers.push_back({.name = "modulo",
                           .fit =
                               [shift](std::span<const float> features, const RouterFit& fit,
                                       const RoutingOptions& /*options*/, const Trainer& /*trainer*/) {
                                 check(features.empty(), "a method that looks at no features gets none");
                                 return std::make_unique<ModuloRouter>(fit.paths, shift);
                               },
                           .read = [](ByteReader& reader, const Trainer& /*trainer*/) -> std::unique_ptr<Router> {
                             const auto paths = reader.value<std::int32_t>();
                             if (paths <= 0) reader.fail("a router to no path");
                             return std::make_unique<ModuloRouter>(paths, reader.value<std::uint64_t>());
                           },
                           .features = false,
                           .constants = std::to_string(shift)});
  return parts;
}

void read_again(MadeRun& run, const NamedParts& parts) {
  run.config.folder = run.folder.path();
  run.config = parse_run_text(dump_config(run.config), run.folder.path() / "a.cfg",
                              std::vector<std::string>{"routing.method=modulo"}, parts);
}

}  // namespace

TEST_CASE("a run file names a router that the program brings: it deals the documents out, and the run ends",
          "[extending]") {
  MadeRun run;
  read_again(run, parts_with_modulo());
  const auto prepared = std::make_shared<const Prepared>(run.prepare());
  CHECK(run.trainer.feature_calls == 0);
  for (std::size_t path = 0; path < 4; ++path) {
    const auto all = [&](const std::vector<DocumentId>& documents) {
      return std::ranges::all_of(documents,
                                 [&](DocumentId id) { return prepared->tokens->document(id).hash % 4 == path; });
    };
    CHECK_FALSE(prepared->shards[path].train.empty());
    CHECK(all(prepared->shards[path].train));
    CHECK(all(prepared->shards[path].validation));
  }
  const std::shared_ptr<const Trainer> trainer(&run.trainer, [](const Trainer*) {});
  const auto done = run_loopback(make_plan(run.config, prepared, trainer), {.workers = 2});
  CHECK(done.result.parameters_hash.size() == 32);
  CHECK(done.result.scores.size() == 4);
}

TEST_CASE("an own router reads back from the file that the preparation left, by programs that know it alone",
          "[extending]") {
  MadeRun run;
  const NamedParts parts = parts_with_modulo(3);
  read_again(run, parts);
  const auto file = run.prepare().router;
  const auto bytes = read_file(file);
  const auto router = read_router(bytes, file.string(), run.trainer, parts.routers);
  CHECK(router->encode() == bytes);
  CHECK(router->route({}, std::vector<std::uint64_t>{0, 1}, 1) == std::vector<PathId>{PathId{3}, PathId{0}});
  CHECK_THROWS_WITH(read_router(bytes, file.string(), run.trainer),
                    Catch::Contains("a router of the unknown method \"modulo\""));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_THROWS_AS(read_router(std::span(bytes).first(size), "cut", run.trainer, parts.routers), DataError);
  }
}

TEST_CASE("shards of an own router are made anew where its constants are others", "[extending]") {
  MadeRun run;
  std::set<std::string> hashes;
  for (const std::uint64_t shift : {0U, 1U, 0U}) {
    read_again(run, parts_with_modulo(shift));
    hashes.insert(run.prepare().hash);
  }
  CHECK(hashes.size() == 2);
  CHECK(run.stages("shards") == 2);
}

TEST_CASE("an unknown routing method is refused with the nearest name, the program's own among them", "[extending]") {
  const std::string text = "[routing]\nmethod=module\n";
  CHECK(error_of(text, parts_with_modulo()) ==
        "runs/a.cfg:2: method=module in [routing] is not allowed; did you mean \"modulo\"?; write k_means, "
        "product_k_means, random or modulo");
  CHECK_THAT(error_of("[routing]\nmethod=linear\n", {}), Catch::EndsWith("write k_means, product_k_means or random"));
}

}  // namespace dipaco
