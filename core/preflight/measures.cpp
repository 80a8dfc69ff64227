#include "core/preflight/measures.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/text.hpp"

namespace dipaco {
namespace {

using Cells = std::vector<std::vector<std::string>>;

/// Rows under each other, the columns after the first `left` to the right.
void add_table(std::ostringstream& out, const Cells& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - row[c].size(), ' ');
      line += "  " + (c < left ? row[c] + padding : padding + row[c]);
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
  }
}

/// Three digits.
std::string short_number(double value) {
  const auto below = [&](double bound, int digits) { return value < bound - 0.5 * std::pow(10, -digits); };
  return format_fixed(value, below(1, 3) ? 3 : below(10, 2) ? 2 : below(100, 1) ? 1 : 0);
}

void add_matrix(std::ostringstream& out, const NetworkMeasures& measures,
                const std::function<double(const LinkMeasure&)>& value) {
  Cells rows(1, {""});
  for (const Attendee& attendee : measures.attendees) rows.front().push_back(attendee.name);
  for (std::size_t from = 0; from < measures.attendees.size(); ++from) {
    auto& row = rows.emplace_back(std::vector<std::string>{measures.attendees[from].name});
    for (std::size_t to = 0; to < measures.attendees.size(); ++to) {
      row.push_back(from == to ? "-" : short_number(value(measures.link(from, to))));
    }
  }
  add_table(out, rows, 1);
}

/// Of bandwidths, one unit for all.
struct Unit {
  const char* name;
  double bytes_per_second;
};

Unit unit_of(const NetworkMeasures& measures) {
  double slowest = std::numeric_limits<double>::infinity();
  for (std::size_t from = 0; from < measures.attendees.size(); ++from) {
    for (std::size_t to = 0; to < measures.attendees.size(); ++to) {
      if (from != to) slowest = std::min(slowest, measures.link(from, to).bytes_per_second);
    }
  }
  return slowest < 1e9 / 8 ? Unit{"Mbit/s", 1e6 / 8} : Unit{"Gbit/s", 1e9 / 8};
}

}  // namespace

std::string role_list(const Attendee& attendee) {
  std::string roles;
  for (const Role role : attendee.roles) roles += (roles.empty() ? "" : ", ") + std::string(name(role));
  return roles;
}

std::string measures_text(const NetworkMeasures& measures) {
  std::ostringstream out;
  Cells rows{{"process", "site", "machine", "address", "roles"}};
  for (const Attendee& who : measures.attendees) {
    rows.push_back({who.name, who.site, who.machine, who.address, role_list(who)});
  }
  add_table(out, rows, rows.front().size());
  out << "\nround trip, ms\n";
  add_matrix(out, measures, [](const LinkMeasure& link) { return 1000 * link.round_trip.count(); });
  const Unit unit = unit_of(measures);
  out << "\nbandwidth, " << unit.name << ", from a row to a column\n";
  add_matrix(out, measures, [&](const LinkMeasure& link) { return link.bytes_per_second / unit.bytes_per_second; });
  if (measures.sites.empty()) return out.str();
  out << "\nwith all other sites at once, " << unit.name << "\n";
  Cells sites{{"", "out", "in"}};
  for (const SiteMeasure& site : measures.sites) {
    sites.push_back({site.site, short_number(site.out_bytes_per_second / unit.bytes_per_second),
                     short_number(site.in_bytes_per_second / unit.bytes_per_second)});
  }
  add_table(out, sites, 1);
  return out.str();
}

std::string measures_json(const NetworkMeasures& measures) {
  nlohmann::json json{
      {"links", nlohmann::json::array()}, {"processes", nlohmann::json::array()}, {"sites", nlohmann::json::array()}};
  for (std::size_t from = 0; from < measures.attendees.size(); ++from) {
    const Attendee& who = measures.attendees[from];
    nlohmann::json process{{"name", who.name},       {"site", who.site},       {"site_name", who.site_name},
                           {"machine", who.machine}, {"address", who.address}, {"roles", role_list(who)}};
    if (who.step_time) process["step_time_s"] = who.step_time->count();
    json["processes"].push_back(process);
    for (std::size_t to = 0; to < measures.attendees.size(); ++to) {
      if (from == to) continue;
      const LinkMeasure& link = measures.link(from, to);
      json["links"].push_back({{"from", who.name},
                               {"to", measures.attendees[to].name},
                               {"round_trip_s", link.round_trip.count()},
                               {"bytes_per_s", link.bytes_per_second}});
    }
  }
  for (const SiteMeasure& site : measures.sites) {
    json["sites"].push_back({{"site", site.site},
                             {"out_bytes_per_s", site.out_bytes_per_second},
                             {"in_bytes_per_s", site.in_bytes_per_second}});
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace dipaco
