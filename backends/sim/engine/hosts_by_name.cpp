#include "backends/sim/engine/hosts_by_name.hpp"

#include "core/base/error.hpp"

namespace dipaco {

HostsByName::HostsByName(const simgrid::s4u::Engine& engine) {
  for (simgrid::s4u::Host* const host : engine.get_all_hosts()) hosts_.emplace(host->get_name(), host);
}

simgrid::s4u::Host* HostsByName::at(const std::string& name) const {
  const auto found = hosts_.find(name);
  check(found != hosts_.end(), "who looks for a host knows it from the platform");
  return found->second;
}

}  // namespace dipaco
