#include "backends/sim/machines/host_times.hpp"

#include <simgrid/s4u.hpp>

#include "backends/sim/engine/clock.hpp"
#include "backends/sim/engine/hosts_by_name.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

HostWatch::HostWatch(const Placement& placement) {
  const HostsByName hosts(*sg::Engine::get_instance());
  for (const PlacedNode& node : placement.nodes) {
    past_.try_emplace(node.host);
    if (hosts.at(node.host)->is_on()) on_since_.emplace(node.host, Seconds(0));
  }
}

void HostWatch::changed(const sg::Host& host) {
  const auto past = past_.find(host.get_name());
  if (past == past_.end()) return;
  const auto on = on_since_.find(past->first);
  if (host.is_on() && on == on_since_.end()) on_since_.emplace(past->first, clock_now());
  if (host.is_on() || on == on_since_.end()) return;
  past->second.push_back({on->second, clock_now()});
  on_since_.erase(on);
}

HostTimes HostWatch::until(Seconds end) const {
  HostTimes times = past_;
  for (const auto& [host, since] : on_since_) times[host].push_back({since, end});
  return times;
}

}  // namespace dipaco
