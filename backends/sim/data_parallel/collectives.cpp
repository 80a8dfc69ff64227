#include "backends/sim/data_parallel/collectives.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// The ranks of one site: the first, and how many.
struct SiteRanks {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// A part of `size`: the k-th of `parts`, whose sizes differ by a byte at most.
Bytes part_of(Bytes size, std::size_t k, std::size_t parts) {
  return Bytes{size.value / parts + (k < size.value % parts ? 1 : 0)};
}

std::vector<SiteRanks> ranks_by_site(std::span<const SiteId> sites) {
  std::vector<SiteRanks> all;
  for (std::size_t rank = 0; rank < sites.size(); ++rank) {
    if (rank == 0 || sites[rank] != sites[rank - 1]) all.push_back({rank, 0});
    ++all.back().count;
  }
  return all;
}

/// Each of the ranks sends its part of `size` to the next one, so often.
CollectivePhase ring(std::span<const std::size_t> ranks, Bytes size, std::size_t times) {
  CollectivePhase phase{.messages = {}, .times = static_cast<std::int64_t>(times)};
  for (std::size_t k = 0; k < ranks.size(); ++k)
    phase.messages.push_back({ranks[k], ranks[(k + 1) % ranks.size()], part_of(size, k, ranks.size())});
  return phase;
}

std::vector<std::size_t> ranks_of(const SiteRanks& site) {
  std::vector<std::size_t> ranks;
  for (std::size_t k = 0; k < site.count; ++k) ranks.push_back(site.first + k);
  return ranks;
}

/// A ring within each site at the same time. Sites differ in size: those with fewer ranks have ended before.
std::vector<CollectivePhase> within_sites(std::span<const SiteRanks> sites, Bytes size) {
  std::vector<CollectivePhase> phases;
  std::vector<std::size_t> counts;
  for (const SiteRanks& site : sites) counts.push_back(site.count);
  std::ranges::sort(counts);
  std::size_t done = 1;
  for (const std::size_t count : counts) {
    if (count == done) continue;
    CollectivePhase phase{.messages = {}, .times = static_cast<std::int64_t>(count - done)};
    for (const SiteRanks& site : sites) {
      if (site.count <= done) continue;
      const auto messages = ring(ranks_of(site), size, 1).messages;
      phase.messages.insert(phase.messages.end(), messages.begin(), messages.end());
    }
    phases.push_back(std::move(phase));
    done = count;
  }
  return phases;
}

/// The ranks of a site beyond the first `lanes` hand their parts over.
CollectivePhase to_lanes(std::span<const SiteRanks> sites, std::size_t lanes, Bytes size) {
  CollectivePhase phase;
  for (const SiteRanks& site : sites) {
    for (std::size_t k = lanes; k < site.count; ++k)
      phase.messages.push_back({site.first + k, site.first + k % lanes, part_of(size, k, site.count)});
  }
  return phase;
}

/// All lanes' rings over the sites at the same time.
CollectivePhase between_sites(std::span<const SiteRanks> sites, std::size_t lanes, Bytes size) {
  CollectivePhase phase{.messages = {}, .times = static_cast<std::int64_t>(2 * (sites.size() - 1))};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::vector<std::size_t> ranks;
    for (const SiteRanks& site : sites) ranks.push_back(site.first + lane);
    const auto messages = ring(ranks, part_of(size, lane, lanes), 1).messages;
    phase.messages.insert(phase.messages.end(), messages.begin(), messages.end());
  }
  return phase;
}

/// The same messages the other way.
CollectivePhase back(CollectivePhase phase) {
  for (RankMessage& message : phase.messages) std::swap(message.from, message.to);
  return phase;
}

std::vector<CollectivePhase> hierarchy(std::span<const SiteRanks> sites, Bytes size) {
  const std::size_t lanes = std::ranges::min_element(sites, {}, &SiteRanks::count)->count;
  std::vector<CollectivePhase> phases = within_sites(sites, size);
  const std::vector<CollectivePhase> gather = phases;
  const CollectivePhase handed = to_lanes(sites, lanes, size);
  if (!handed.messages.empty()) phases.push_back(handed);
  phases.push_back(between_sites(sites, lanes, size));
  if (!handed.messages.empty()) phases.push_back(back(handed));
  phases.insert(phases.end(), gather.begin(), gather.end());
  return phases;
}

}  // namespace

std::vector<CollectivePhase> plan_all_reduce(AllReduce kind, std::span<const SiteId> sites, Bytes size) {
  const std::vector<SiteRanks> by_site = ranks_by_site(sites);
  check(!sites.empty(), "a collective has ranks");
  if (sites.size() == 1) return {};
  if (kind == AllReduce::hierarchical && by_site.size() > 1) return hierarchy(by_site, size);
  const std::vector<std::size_t> all = ranks_of({0, sites.size()});
  return {ring(all, size, 2 * (all.size() - 1))};
}

Bytes bytes_between_sites(std::span<const CollectivePhase> phases, std::span<const SiteId> sites) {
  Bytes total;
  for (const CollectivePhase& phase : phases) {
    for (const RankMessage& message : phase.messages) {
      if (sites[message.from] != sites[message.to])
        total += Bytes{message.size.value * static_cast<std::uint64_t>(phase.times)};
    }
  }
  return total;
}

}  // namespace dipaco
