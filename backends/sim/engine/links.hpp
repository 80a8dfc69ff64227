#pragma once

#include <cstdint>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include "backends/sim/engine/link_curves.hpp"
#include "core/base/units.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// The route between two hosts, in one direction.
enum class RouteId : std::uint32_t {};

/// What crosses each link: bytes, counted where a message is sent; use, looked at when transfers end, which is when the
/// shares of the links change.
class LinkUse {
 public:
  /// @throws ConfigError where no route leads there
  RouteId route(const simgrid::s4u::Host& from, const simgrid::s4u::Host& to);
  void count(RouteId route, Bytes bytes) { routes_[static_cast<std::size_t>(route)].bytes += bytes; }
  /// Of what was counted, so much are words about turns.
  void count_turns(RouteId route, Bytes bytes) { routes_[static_cast<std::size_t>(route)].turn_bytes += bytes; }
  void look(RouteId route, Seconds now);
  /// A large message has come whole: its flow lasted from `began` until now.
  void crossed(RouteId route, Seconds began, Seconds now, Bytes bytes) {
    curves_.add(routes_[static_cast<std::size_t>(route)].all, began, now, bytes);
  }
  /// No link of the route is off.
  bool open(RouteId route) const { return off_ == 0 || all_on(route); }
  bool crosses(RouteId route, const simgrid::s4u::Link& link) const;
  /// The link has gone on or off. To be told of each such change: open() rests on it.
  void changed(const simgrid::s4u::Link& link);
  /// Links that a route crosses, by name.
  std::vector<LinkFacts> facts() const;

 private:
  struct Route {
    std::vector<std::uint32_t> links;  ///< not yet seen in full use
    std::vector<std::uint32_t> all;
    Bytes bytes;
    Bytes turn_bytes;
  };
  struct Use {
    const simgrid::s4u::Link* link = nullptr;
    double peak = 0;
    Seconds looked{-1};  ///< at it last: at one time all transfers that end see the same use
    bool on = true;
  };

  bool all_on(RouteId route) const;

  std::vector<Route> routes_;
  std::vector<Use> links_;
  std::map<std::pair<const simgrid::s4u::Host*, const simgrid::s4u::Host*>, RouteId> known_;
  std::map<const simgrid::s4u::Link*, std::uint32_t> numbers_;
  std::uint32_t off_ = 0;  ///< how many of links_
  LinkCurves curves_;
};

/// Whether SimGrid's link `name` is the scenario's `link`, or a direction of it: SimGrid calls those of a SPLITDUPLEX
/// link NAME_UP and NAME_DOWN.
bool is_of_link(const std::string& name, const std::string& link);

/// Whether somebody means SimGrid's link by this: its name, that of both its directions, or one with a `*`.
bool names_link(const std::string& said, const std::string& link);

/// Whether SimGrid has made the link by itself, for what a host sends itself.
bool is_loopback(const simgrid::s4u::Link& link);

/// The links from one host to another.
/// @throws ConfigError naming both where the platform has no route
std::vector<simgrid::s4u::Link*> route_between(const simgrid::s4u::Host& from, const simgrid::s4u::Host& to);

}  // namespace dipaco
