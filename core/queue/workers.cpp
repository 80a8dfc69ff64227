#include "core/queue/workers.hpp"

#include <algorithm>

namespace dipaco {

void Workers::up(NodeId node, SiteId site, double speed, bool free) {
  gone(node);
  all_[node] = {site, speed, false};
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
  for (ByRank* const nodes : {&free_, &free_at_[entry.site]}) {
    free ? static_cast<void>(nodes->insert(rank)) : static_cast<void>(nodes->erase(rank));
  }
  return true;
}

bool Workers::is_free(NodeId node) const {
  const auto found = all_.find(node);
  return found != all_.end() && found->second.free;
}

std::optional<NodeId> Workers::nearest(SiteId site) const {
  const auto here = free_at_.find(site);
  const auto found = here == free_at_.end() ? std::nullopt : first(here->second);
  return found ? found : fastest();
}

std::optional<NodeId> Workers::nearest(SiteId site, const std::set<NodeId>& but) const {
  const auto first_of = [&](const ByRank& nodes) {
    const auto found = std::ranges::find_if(nodes, [&](const auto& rank) { return !but.contains(rank.second); });
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
