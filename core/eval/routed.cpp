#include "core/eval/routed.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// Calls visit(parameters, places of its documents) for every path that has some.
template <class Visit>
void for_each_path(const PathSet& set, const std::vector<PathId>& routes, Visit visit) {
  std::vector<std::vector<std::size_t>> places(static_cast<std::size_t>(set.paths));
  for (std::size_t i = 0; i < routes.size(); ++i) places[static_cast<std::size_t>(index(routes[i]))].push_back(i);
  for (std::int32_t path = 0; path < set.paths; ++path) {
    const auto& mine = places[static_cast<std::size_t>(path)];
    if (!mine.empty()) visit(set.parameters(PathId{path}), mine);
    if (set.done) set.done(PathId{path});
  }
}

std::vector<DocumentId> chosen(const std::vector<DocumentId>& documents, const std::vector<std::size_t>& places) {
  std::vector<DocumentId> some;
  for (const std::size_t i : places) some.push_back(documents[i]);
  return some;
}

}  // namespace

DocumentScores score_on_paths(const PathSet& set, const std::vector<DocumentId>& documents,
                              const std::vector<PathId>& routes) {
  check(documents.size() == routes.size(), "each document has its path");
  DocumentScores scores{.total = {}, .nats = std::vector<double>(documents.size())};
  for_each_path(set, routes, [&](const std::vector<float>& parameters, const std::vector<std::size_t>& places) {
    const auto some = score_documents(set.trainer, parameters, set.tokens, chosen(documents, places), set.score);
    scores.total += some.total;
    for (std::size_t i = 0; i < places.size(); ++i) scores.nats[places[i]] = some.nats[i];
  });
  return scores;
}

std::int64_t RouteShares::total() const { return std::accumulate(documents.begin(), documents.end(), std::int64_t{0}); }

double RouteShares::share(std::int32_t path) const {
  check(total() > 0, "a share is of something");
  return static_cast<double>(documents[static_cast<std::size_t>(path)]) / static_cast<double>(total());
}

double RouteShares::entropy() const {
  double sum = 0;
  for (std::int32_t path = 0; path < static_cast<std::int32_t>(documents.size()); ++path) {
    const double p = share(path);
    if (p > 0) sum -= p * std::log(p);
  }
  return sum;
}

double RouteShares::effective_paths() const { return std::exp(entropy()); }

RouteShares route_shares(std::span<const PathId> routes, std::int32_t paths) {
  RouteShares shares{.documents = std::vector<std::int64_t>(static_cast<std::size_t>(paths))};
  for (const PathId path : routes) ++shares.documents[static_cast<std::size_t>(index(path))];
  return shares;
}

std::vector<Score> score_by_domain(const TokenFile& tokens, const std::vector<DocumentId>& documents,
                                   const std::vector<double>& nats) {
  check(documents.size() == nats.size(), "each document has its loss");
  std::vector<Score> parts(tokens.domains().size());
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const DocumentRecord& document = tokens.document(documents[i]);
    Score& part = parts[document.domain];
    part.nats += nats[i];
    part.tokens += std::max<std::int64_t>(0, static_cast<std::int64_t>(document.tokens) - tokens.prefix());
    part.bytes += document.bytes - document.prefix_bytes;
    ++part.documents;
  }
  return parts;
}

}  // namespace dipaco
