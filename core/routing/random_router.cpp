#include "core/routing/random_router.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/base/sealed.hpp"
#include "core/routing/router_file.hpp"

namespace dipaco {

std::vector<PathId> RandomRouter::route(std::span<const float> /*features*/, std::span<const std::uint64_t> hashes,
                                        std::int32_t n) const {
  check(n > 0 && n <= paths_, "a document goes to 1 to all paths");
  std::vector<PathId> routes;
  routes.reserve(hashes.size() * static_cast<std::size_t>(n));
  for (const std::uint64_t hash : hashes) {
    // The i-th draw is among the paths that are left: counted up over those taken, ascending (no list of all paths).
    std::vector<std::int32_t> taken;
    for (std::int32_t i = 0; i < n; ++i) {
      const auto left = static_cast<std::uint64_t>(paths_ - i);
      auto path =
          static_cast<std::int32_t>(draw_below(left, seed_, Draw::router_random, hash, static_cast<std::uint64_t>(i)));
      auto at = taken.begin();
      for (; at != taken.end() && *at <= path; ++at) ++path;
      taken.insert(at, path);
      routes.push_back(PathId{path});
    }
  }
  return routes;
}

std::vector<float> RandomRouter::scores(std::span<const float> features, std::span<const std::uint64_t> hashes) const {
  const auto paths = static_cast<std::size_t>(paths_);
  std::vector<float> scores(hashes.size() * paths);
  const std::vector<PathId> first = route(features, hashes, 1);
  for (std::size_t i = 0; i < first.size(); ++i) scores[i * paths + static_cast<std::size_t>(index(first[i]))] = 1;
  return scores;
}

std::vector<std::byte> RandomRouter::encode() const {
  ByteWriter writer = begin_router(kRandom);
  writer.value(paths_);
  writer.value(seed_);
  return finish_sealed(std::move(writer));
}

std::unique_ptr<Router> read_random_router(ByteReader& reader) {
  const auto paths = reader.value<std::int32_t>();
  if (paths <= 0) reader.fail("a router to " + std::to_string(paths) + " paths");
  return std::make_unique<RandomRouter>(paths, reader.value<std::uint64_t>());
}

}  // namespace dipaco
