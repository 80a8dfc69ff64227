#include "tests/preflight/made_up_measures.hpp"

namespace dipaco::testing {

NetworkMeasures two_sites() {
  NetworkMeasures all;
  all.attendees = {
      {.name = "east-0",
       .site = "east",
       .roles = {Role::coordinator, Role::store, Role::executor},
       .machine = "m0",
       .address = "10.0.0.1:7"},
      {.name = "east-1",
       .site = "east",
       .roles = {Role::worker},
       .machine = "m1",
       .address = "10.0.0.2:7",
       .step_time = Seconds(0.05)},
      {.name = "west-0", .site = "west", .roles = {Role::worker}, .machine = "m2", .address = "10.1.0.1:7"}};
  all.links.assign(9, {Seconds(0.0001), 1.25e9});
  for (Attendee& who : all.attendees) who.site_name = who.site;
  for (const std::size_t east : {0U, 1U}) {
    all.link(east, 2) = {Seconds(0.02), 25e6};
    all.link(2, east) = {Seconds(0.02), 12.5e6};
  }
  return all;
}

NetworkMeasures three_sites() {
  NetworkMeasures all;
  for (const std::string site : {"a", "b", "c"}) {
    all.attendees.push_back({.name = site + "-0",
                             .site = site,
                             .roles = {Role::worker, Role::store, Role::executor},
                             .machine = site,
                             .address = "10.0.0.1:7",
                             .site_name = site});
  }
  all.attendees.front().roles.push_back(Role::coordinator);
  all.links.assign(9, {Seconds(0.01), 10e6});
  all.sites = {{"a", 10e6, 15e6}, {"b", 20e6, 20e6}, {"c", 20e6, 20e6}};
  return all;
}

}  // namespace dipaco::testing
