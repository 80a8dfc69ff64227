#include "core/queue/workers.hpp"

#include <algorithm>
#include <cmath>

#include "core/queue/speeds.hpp"

namespace dipaco {

void Workers::up(NodeId node, SiteId site, double speed, bool free) {
  const Entry* const known = all_.find(node);
  const bool avoided = known != nullptr && known->avoided;
  gone(node);
  all_.insert(node, {.site = site, .speed = speed, .avoided = avoided});
  set_free(node, free);
}

void Workers::gone(NodeId node) {
  set_free(node, false);
  all_.erase(node);
}

bool Workers::set_free(NodeId node, bool free) {
  Entry* const found = all_.find(node);
  if (found == nullptr) return false;
  Entry& entry = *found;
  if (entry.free == free) return true;
  entry.free = free;
  const std::pair rank(-entry.speed, node);
  free ? static_cast<void>(free_.insert(rank)) : static_cast<void>(free_.erase(rank));
  ByRank& at_site = free_at_[entry.site];
  free && !entry.avoided ? static_cast<void>(at_site.insert(rank)) : static_cast<void>(at_site.erase(rank));
  return true;
}

std::vector<NodeId> Workers::free() const {
  std::vector<NodeId> nodes;
  nodes.reserve(free_.size());
  for (const auto& [rank, node] : free_) nodes.push_back(node);
  return nodes;
}

void Workers::speed_is(NodeId node, double speed) {
  const Entry* const found = all_.find(node);
  if (found == nullptr || std::abs(speed - found->speed) <= Speeds::kSame * found->speed) return;
  rank_anew(node, [speed](Entry& entry) { entry.speed = speed; });
}

void Workers::avoid(NodeId node, bool avoided) {
  if (all_.contains(node)) rank_anew(node, [avoided](Entry& entry) { entry.avoided = avoided; });
}

/// @param change  what its rank follows from
void Workers::rank_anew(NodeId node, const std::function<void(Entry&)>& change) {
  Entry& entry = all_.at(node);
  const bool free = entry.free;
  set_free(node, false);
  change(entry);
  set_free(node, free);
}

bool Workers::is_ready(NodeId node) const {
  const Entry* const found = all_.find(node);
  return found != nullptr && found->free && !found->avoided;
}

std::optional<NodeId> Workers::nearest(SiteId site, const std::function<bool(NodeId)>& may) const {
  const auto first_of = [&](const ByRank& nodes) {
    const auto found = std::ranges::find_if(nodes, [&](const auto& rank) { return may(rank.second); });
    return found == nodes.end() ? std::nullopt : std::optional(found->second);
  };
  const auto here = free_at_.find(site);
  const auto found = here == free_at_.end() ? std::nullopt : first_of(here->second);
  return found ? found : first_of(free_);
}

bool Workers::all_among(const std::set<NodeId>& nodes) const {
  return all_.size() <= nodes.size() &&
         std::ranges::all_of(all_, [&](const auto& worker) { return nodes.contains(worker.first); });
}

}  // namespace dipaco
