#include "core/routing/feature_router.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr std::size_t kMostDocuments = 4096;                // whose scores are in memory at a time
constexpr std::size_t kMostScores = std::size_t{1} << 26U;  // that are in memory at a time: 256 MiB

/// Appends the n best paths of each row of scores [m, P].
void append_best(std::vector<PathId>& routes, std::span<const float> scores, std::size_t paths, std::int32_t n) {
  std::vector<std::int32_t> order(paths);
  for (std::size_t i = 0; i < scores.size(); i += paths) {
    std::iota(order.begin(), order.end(), 0);
    const auto score = [&](std::int32_t path) { return scores[i + static_cast<std::size_t>(path)]; };
    std::partial_sort(order.begin(), order.begin() + n, order.end(), [&](std::int32_t a, std::int32_t b) {
      return std::pair(-score(a), a) < std::pair(-score(b), b);
    });
    for (std::int32_t j = 0; j < n; ++j) routes.push_back(PathId{order[static_cast<std::size_t>(j)]});
  }
}

}  // namespace

FeatureRouter::FeatureRouter(Standardisation standardisation, const Trainer& trainer)
    : standardisation_(std::move(standardisation)), trainer_(trainer) {}

/// Calls visit(scores [m, P]) for the documents, m at a time, in order.
template <class Visit>
void FeatureRouter::for_each_part(std::span<const float> features, std::size_t documents, Visit visit) const {
  const auto d = static_cast<std::size_t>(width());
  if (features.size() != documents * d) {
    throw DataError("router: " + std::to_string(features.size()) + " numbers for " + std::to_string(documents) +
                    " documents, and this router takes features of width " + std::to_string(d) +
                    ": it was made for another model");
  }
  require_finite(features, d);
  const std::size_t at_a_time =
      std::clamp<std::size_t>(kMostScores / static_cast<std::size_t>(paths()), 1, kMostDocuments);
  for (std::size_t first = 0; first < documents; first += at_a_time) {
    const std::size_t count = std::min(at_a_time, documents - first);
    const std::vector<float> part = scores_of(standardised(standardisation_, features.subspan(first * d, count * d)));
    if (std::any_of(part.begin(), part.end(), [](float x) { return std::isnan(x); })) {
      throw DataError(
          "router: a document's score is not a number: the router was made for another model; make it again");
    }
    visit(std::span<const float>(part));
  }
}

std::vector<float> FeatureRouter::scores(std::span<const float> features, std::span<const std::uint64_t> hashes) const {
  std::vector<float> all;
  all.reserve(hashes.size() * static_cast<std::size_t>(paths()));
  for_each_part(features, hashes.size(),
                [&](std::span<const float> part) { all.insert(all.end(), part.begin(), part.end()); });
  return all;
}

std::vector<PathId> FeatureRouter::route(std::span<const float> features, std::span<const std::uint64_t> hashes,
                                         std::int32_t n) const {
  check(n > 0 && n <= paths(), "a document goes to 1 to all paths");
  std::vector<PathId> routes;
  routes.reserve(hashes.size() * static_cast<std::size_t>(n));
  for_each_part(features, hashes.size(),
                [&](std::span<const float> part) { append_best(routes, part, static_cast<std::size_t>(paths()), n); });
  return routes;
}

}  // namespace dipaco
