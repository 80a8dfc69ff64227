#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

// What ranks send each other to sum gradients: a baseline's messages, planned without a network. S are the bytes that
// are summed, n the ranks.
//
//   ring          2 (n - 1) times: each rank sends S / n to the next one. Ranks of a site are neighbours.
//   hierarchical  within each site of g ranks a ring reduces and scatters, (g - 1) times S / g, so that c ranks of each
//                 site have S / c of the site's sum; c rings over the s sites, each 2 (s - 1) times S / (c s); and
//                 back. c is the least g of all sites. A rank beyond the first c hands its part to one of these.
//
// A line between sites carries 2 (n - 1) / n S in a ring, and 2 (s - 1) / s S in a hierarchy, each way.

/// One message of a phase.
struct RankMessage {
  std::size_t from = 0;  ///< rank
  std::size_t to = 0;
  Bytes size;
};

/// Messages that go at the same time, so often one after the other.
struct CollectivePhase {
  std::vector<RankMessage> messages;
  std::int64_t times = 1;
};

enum class AllReduce : std::uint8_t { ring, hierarchical };

/// @param sites  [n] of the ranks, those of a site next to each other  @returns nothing for a single rank
std::vector<CollectivePhase> plan_all_reduce(AllReduce kind, std::span<const SiteId> sites, Bytes size);

/// Of all messages between ranks of different sites.
Bytes bytes_between_sites(std::span<const CollectivePhase> phases, std::span<const SiteId> sites);

}  // namespace dipaco
