#include "core/coordinator/workers.hpp"

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

}  // namespace dipaco
