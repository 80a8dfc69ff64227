#include "core/queue/workers.hpp"

#include <algorithm>
#include <cmath>

#include "core/queue/speeds.hpp"

namespace dipaco {

void Workers::up(NodeId node, SiteId site, double speed, bool free) {
  const auto known = all_.find(node);
  const bool avoided = known != all_.end() && known->second.avoided;
  gone(node);
  all_[node] = {.site = site, .speed = speed, .avoided = avoided};
  set_free(node, free);
}

void Workers::gone(NodeId node) {
  set_free(node, false);
  all_.erase(node);
}

bool Workers::set_free(NodeId node, bool free) {
  const auto found = all_.find(node);
  if (found == all_.end()) return false;
  Entry& entry = found->second;
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
  const auto found = all_.find(node);
  if (found == all_.end() || std::abs(speed - found->second.speed) <= Speeds::kSame * found->second.speed) return;
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
  const auto found = all_.find(node);
  return found != all_.end() && found->second.free && !found->second.avoided;
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
