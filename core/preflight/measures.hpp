#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/events/event.hpp"

namespace dipaco {

/// A process that takes part in a preflight.
struct Attendee {
  std::string name;                    ///< its site's and a number, such as east-0
  std::string site;                    ///< as a word: letters, digits, '.', '_' and '-'
  std::vector<Role> roles;             ///< that it will have in the run
  std::string machine;                 ///< its name
  std::string address;                 ///< where the others reach it
  std::optional<Seconds> step_time{};  ///< of an inner step there, where it said so
  std::string site_name{};             ///< its site as it said it
};

/// From one process to another.
struct LinkMeasure {
  Seconds round_trip{};         ///< of a small message and its answer, the shortest of several
  double bytes_per_second = 0;  ///< of a large message, alone on the network
};

/// Out of a site, and into it, with a large message for each other site at once.
struct SiteMeasure {
  std::string site;
  double out_bytes_per_second = 0;
  double in_bytes_per_second = 0;
};

/// What a preflight found.
struct NetworkMeasures {
  std::vector<Attendee> attendees;  ///< site by site
  std::vector<LinkMeasure> links;   ///< [n, n] from a row to a column; the diagonal is not measured
  std::vector<SiteMeasure> sites;   ///< where there are three sites or more: with two, the links say it

  /// REQUIRES from, to < n: places in `attendees`.
  const LinkMeasure& link(std::size_t from, std::size_t to) const { return links[from * attendees.size() + to]; }
  LinkMeasure& link(std::size_t from, std::size_t to) { return links[from * attendees.size() + to]; }
};

/// "coordinator, store".
std::string role_list(const Attendee& attendee);

/// For a person: who takes part, round trips (ms) and bandwidths (Mbit/s or Gbit/s) as matrices.
std::string measures_text(const NetworkMeasures& measures);
/// The same as JSON: "processes", "links" and "sites", arrays of objects; times in seconds, bandwidths in bytes a
/// second.
std::string measures_json(const NetworkMeasures& measures);

}  // namespace dipaco
