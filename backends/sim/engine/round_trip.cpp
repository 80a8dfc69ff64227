#include "backends/sim/engine/round_trip.hpp"

#include <simgrid/s4u.hpp>
#include <vector>
#include <xbt/config.hpp>

#include "backends/sim/engine/hosts_by_name.hpp"
#include "backends/sim/scenario/routes.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

double latency_between(const sg::Host& from, const sg::Host& to) {
  std::vector<sg::Link*> links;
  double latency = 0;
  from.route_to(&to, links, &latency);
  return latency;
}

}  // namespace

RoundTrip longest_round_trip(const ScenarioFile& file, const Placement& placement) {
  const HostsByName hosts(*sg::Engine::get_instance());
  const double factor = simgrid::config::get_value<double>("network/latency-factor");
  RoundTrip longest;
  for (const auto& [from, to] : pairs_to_check(file, placement)) {
    const sg::Host& one = *hosts.at(from);
    const sg::Host& other = *hosts.at(to);
    const Seconds time(factor * (latency_between(one, other) + latency_between(other, one)));
    if (time > longest.time) longest = {time, "host \"" + from + "\"", "host \"" + to + "\""};
  }
  return longest;
}

}  // namespace dipaco
