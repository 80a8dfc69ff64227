#pragma once

#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>

namespace dipaco {

/// The platform's hosts, to look up many: SimGrid's own Host::by_name asks one zone after another.
class HostsByName {
 public:
  /// @param engine  with its platform loaded
  explicit HostsByName(const simgrid::s4u::Engine& engine);

  /// @throws std::logic_error if there is none of that name
  simgrid::s4u::Host* at(const std::string& name) const;

 private:
  std::unordered_map<std::string, simgrid::s4u::Host*> hosts_;
};

}  // namespace dipaco
