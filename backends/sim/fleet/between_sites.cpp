#include "backends/sim/fleet/between_sites.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "backends/sim/scenario/scenario_file.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// `; did you mean "X"?` of a region that no pair of a table has; else "".
std::string nearest_region(const std::string& region, const std::map<RegionPair, DatedFigure>& table) {
  std::set<std::string> known;
  for (const auto& [pair, figure] : table) known.insert(pair.first);
  if (known.contains(region)) return "";
  return did_you_mean(region, std::vector<std::string>(known.begin(), known.end()));
}

/// How a message goes on about two: with the nearest of the one that is not there, or with its end.
std::string nearest_of(const RegionPair& pair, const std::map<RegionPair, DatedFigure>& table) {
  for (const std::string& region : {pair.first, pair.second}) {
    if (const std::string nearest = nearest_region(region, table); !nearest.empty()) {
      return "; for " + in_quotes(region) + nearest.substr(1);
    }
  }
  return ".";
}

class LinkPlanner {
 public:
  LinkPlanner(const FleetFile& file, std::span<const SiteFigures> sites, const FleetTables& tables)
      : file_(file), sites_(sites), tables_(tables) {
    for (const FleetPairValue& one : file_.links) rate(sites_.front(), one);  // also those that no pair takes
  }

  PlannedLink plan(std::size_t a, std::size_t b) const {
    const std::string& one = file_.sites[a].name;
    const std::string& other = file_.sites[b].name;
    return {one, other, bandwidth(a, one, other), latency(a, b)};
  }

 private:
  static const FleetPairValue* find(const std::vector<FleetPairValue>& values, const std::string& of) {
    const auto found = std::ranges::find(values, of, &FleetPairValue::of);
    return found == values.end() ? nullptr : &*found;
  }

  static BytesPerSecond rate(const SiteFigures& site, const FleetPairValue& one) {
    const auto rate = parse_byte_rate(one.value.text);
    if (!rate) site.fail(one.value.line, one.of + "=" + one.value.text + " is no rate with a unit, such as 300Mbps");
    return *rate;
  }

  /// The one with the lower rate; where one is null the other.
  static const FleetPairValue* thinner(const SiteFigures& site, const FleetPairValue* one,
                                       const FleetPairValue* other) {
    if (one == nullptr || other == nullptr) return one == nullptr ? other : one;
    return rate(site, *other) < rate(site, *one) ? other : one;
  }

  /// What the file says of the pair; else the thinner of what it says of both sites; else the default.
  PlannedValue bandwidth(std::size_t a, const std::string& one, const std::string& other) const {
    const FleetPairValue* chosen = find(file_.links, one + "-" + other);
    if (chosen == nullptr) chosen = thinner(sites_[a], find(file_.links, one), find(file_.links, other));
    if (chosen == nullptr) chosen = find(file_.links, "default");
    if (chosen == nullptr) {
      sites_[a].fail(file_.sites[a].line, "nothing says what goes between " + in_quotes(one) + " and " +
                                              in_quotes(other) + "; write default=1Gbps in [links], or " + one + "-" +
                                              other + "=1Gbps");
    }
    rate(sites_[a], *chosen);
    PlannedValue value = sites_[a].as_said(chosen->value);
    std::erase_if(value.value, [](char letter) { return letter == ' ' || letter == '\t'; });
    return value;
  }

  PlannedValue latency(std::size_t a, std::size_t b) const {
    const std::string pair = file_.sites[a].name + "-" + file_.sites[b].name;
    if (const FleetPairValue* const own = find(file_.round_trips, pair)) {
      const auto time = parse_seconds(own->value.text);
      if (!time || *time < Seconds(0)) {
        sites_[a].fail(own->value.line, own->of + "=" + own->value.text + " is no time with a unit, such as 62ms");
      }
      return {half_of(1e3 * time->count()), "half of a round trip, " + sites_[a].as_said(own->value).source,
              own->value.line};
    }
    const std::string instead = pair + "=62ms in [round_trips]";
    const FleetValue here = sites_[a].region("region", instead);
    const FleetValue there = sites_[b].region("region", instead);
    const RegionPair regions{here.text, there.text};
    const auto listed = tables_.round_trips.find(regions);
    if (listed == tables_.round_trips.end()) {
      sites_[a].fail(there.line, "network/round_trips.csv has no round trip between " + in_quotes(here.text) + " and " +
                                     in_quotes(there.text) + nearest_of(regions, tables_.round_trips) +
                                     " Write another region=, or " + instead);
    }
    return {half_of(listed->second.value),
            "half of a round trip of " + format_number(listed->second.value) + " ms: network/round_trips.csv, " +
                here.text + " to " + there.text + ", " + listed->second.date,
            there.line};
  }

  static std::string half_of(double milliseconds) { return rounded(milliseconds / 2, 4) + "ms"; }

  const FleetFile& file_;
  std::span<const SiteFigures> sites_;
  const FleetTables& tables_;
};

const char* const kEgressInstead = "egress=0.09 USD/GB, or prices=off in [fleet]";

/// @throws ConfigError where there is none
DatedFigure listed_egress(const SiteFigures& here, const FleetValue& from, const FleetValue& to,
                          const FleetTables& tables) {
  const RegionPair regions{from.text, to.text};
  const auto listed = tables.egress.find(regions);
  if (listed != tables.egress.end()) return listed->second;
  here.fail(from.line, "prices/egress.csv has no price from " + in_quotes(from.text) + " to " + in_quotes(to.text) +
                           nearest_of(regions, tables.egress) + " Write egress_region=, or " + kEgressInstead);
}

}  // namespace

std::vector<PlannedLink> plan_links(const FleetFile& file, std::span<const SiteFigures> sites,
                                    const FleetTables& tables) {
  std::vector<PlannedLink> links;
  const LinkPlanner planner(file, sites, tables);
  for (std::size_t a = 0; a < sites.size(); ++a) {
    for (std::size_t b = a + 1; b < sites.size(); ++b) links.push_back(planner.plan(a, b));
  }
  return links;
}

PlannedValue plan_egress(const FleetFile& file, std::span<const SiteFigures> sites, std::size_t own_number,
                         const FleetTables& tables) {
  const SiteFigures& here = sites[own_number];
  if (const FleetValue* const value = here.said("egress")) return here.as_said(*value);
  const FleetValue own = here.region("egress_region", kEgressInstead);
  std::set<std::string> from;
  PlannedValue egress{.line = own.line};
  for (std::size_t to = 0; to < sites.size(); ++to) {
    if (to == own_number) continue;
    const FleetValue there = sites[to].region("egress_region", kEgressInstead);
    double usd = 0;
    if (there.text == own.text) {
      from.insert("Choice: nothing within a region");
    } else {
      const DatedFigure listed = listed_egress(here, own, there, tables);
      usd = listed.value;
      from.insert("prices/egress.csv from " + own.text + ", " + listed.date);
    }
    egress.value += (egress.value.empty() ? "" : ", ") + file.sites[to].name + " " + format_number(usd) + " USD/GB";
  }
  for (const std::string& one : from) egress.source += (egress.source.empty() ? "" : "; ") + one;
  return egress;
}

}  // namespace dipaco
