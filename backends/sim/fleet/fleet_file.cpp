#include "backends/sim/fleet/fleet_file.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "backends/sim/scenario/scenario_file.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/config/ini_text.hpp"

namespace dipaco {
namespace {

constexpr std::array<std::string_view, 6> kWholeKeys{"run", "coordinator", "prices",
                                                     "tcp", "tcp_streams", "tcp_window"};
/// Beside kPlainSiteProps.
constexpr std::array<std::string_view, 17> kSiteKeys{"region",
                                                     "price_region",
                                                     "egress_region",
                                                     "machines",
                                                     "peak",
                                                     "adapter",
                                                     "files_price",
                                                     "files_wattage_per_state",
                                                     "mfu",
                                                     "price",
                                                     "wattage_per_state",
                                                     "egress",
                                                     "notice",
                                                     "disk",
                                                     "intake",
                                                     "memory",
                                                     "spot_price"};
constexpr std::string_view kSite = "site";
constexpr std::string_view kDefault = "default";

std::vector<std::string> site_keys() {
  std::vector<std::string> names(kSiteKeys.begin(), kSiteKeys.end());
  names.insert(names.end(), kPlainSiteProps.begin(), kPlainSiteProps.end());
  return names;
}

std::vector<std::string> whole_keys() { return {kWholeKeys.begin(), kWholeKeys.end()}; }

/// Keys of which one takes the place of the other.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEither{
    {{"mfu", "step_time"}, {"step_time", "mfu"}, {"mtbf", "failures"}, {"failures", "mtbf"}}};

/// Keys that mean something only beside one of others.
struct FleetPartners {
  std::string_view key;
  std::string_view beside;  ///< commas between them
};
constexpr std::array<FleetPartners, 9> kPartners{{{"notice", "preemption,reclaims,capacity,mtbf"},
                                                  {"spot_price", "preemption,reclaims,capacity"},
                                                  {"preemption_time_scale", "preemption"},
                                                  {"preemption_machine_scale", "preemption"},
                                                  {"preemption_offset", "preemption"},
                                                  {"preemption_end", "preemption"},
                                                  {"given_back", "reclaims"},
                                                  {"mttr", "mtbf"},
                                                  {"repair", "failures"}}};

std::vector<std::string> partners_of(std::string_view key) {
  const auto found = std::ranges::find(kPartners, key, &FleetPartners::key);
  return found == kPartners.end() ? std::vector<std::string>() : split(found->beside, ',');
}

bool among(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class FleetReader {
 public:
  explicit FleetReader(std::filesystem::path name) {
    file_.path = std::move(name);
    file_.line = 1;
  }

  FleetFile read(std::string_view text) {
    read_ini(text, file_.path.string(),
             {.section = [&](const IniSection& section) { begin(section); },
              .pair = [&](const IniPair& pair) { add(pair); }});
    if (file_.sites.empty()) {
      throw ConfigError(file_.path.string() + ": no site; write [site NAME], and below it region= and machines=");
    }
    for (FleetSite& site : file_.sites) complete(site);
    for (FleetPairValue& one : file_.links) check_pair(one, true);
    for (FleetPairValue& one : file_.round_trips) check_pair(one, false);
    check_twice(file_.links);
    check_twice(file_.round_trips);
    return std::move(file_);
  }

 private:
  void begin(const IniSection& section) {
    if (section.name == "fleet") file_.line = section.line;
    if (section.name == "fleet" || section.name == "links" || section.name == "round_trips") return;
    const auto gap = std::min(section.name.find_first_of(" \t"), section.name.size());
    const std::string name(trim(section.name.substr(gap)));
    if (section.name.substr(0, gap) != kSite) {
      const std::vector<std::string> known{"fleet", "site", "links", "round_trips"};
      const std::string nearest = did_you_mean(section.name.substr(0, gap), known);
      throw ConfigError(
          section.place + ": unknown section [" + std::string(section.name) + "]" +
          (nearest.empty() ? "; the sections are [fleet], [site NAME], [links] and [round_trips]" : nearest));
    }
    check_name(name, section.place);
    for (const FleetSite& other : file_.sites) {
      if (other.name == name) {
        throw ConfigError(section.place + ": the site " + in_quotes(name) + " is there twice, first at " +
                          file_.at(other.line) + "; write both in one section");
      }
    }
    file_.sites.push_back({.name = name, .line = section.line, .said = {}});
  }

  static void check_name(const std::string& name, const std::string& place) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    if (!name.empty() && name.find_first_not_of(kLetters) == std::string::npos && name != kDefault) return;
    throw ConfigError(place + ": " + in_quotes(name) +
                      " is no name of a site; write [site NAME], where NAME has letters, digits and _ only, and is not "
                      "default");
  }

  void add(const IniPair& pair) {
    const FleetValue value{std::string(pair.value), pair.line};
    if (value.text.empty()) {
      throw ConfigError(pair.place + ": " + in_quotes(pair.name) + " has no value; write one, or take the line out");
    }
    const std::string name(pair.name);
    if (pair.section == "links") return file_.links.push_back({name, value});
    if (pair.section == "round_trips") return file_.round_trips.push_back({name, value});
    const bool of_fleet = pair.section == "fleet";
    if (of_fleet && among(whole_keys(), name)) return add(file_.whole, name, value, pair);
    if (!among(site_keys(), name)) throw ConfigError(pair.place + ": " + unknown_key(pair, of_fleet));
    add(of_fleet ? all_sites_ : file_.sites.back().said, name, value, pair);
  }

  void add(FleetValues& values, const std::string& name, const FleetValue& value, const IniPair& pair) const {
    const auto [first, added] = values.emplace(name, value);
    if (added) return;
    throw ConfigError(pair.place + ": " + in_quotes(name) + " is twice in [" + std::string(pair.section) +
                      "], first at " + file_.at(first->second.line) + "; remove one of them");
  }

  static std::string unknown_key(const IniPair& pair, bool of_fleet) {
    const std::string begins = "unknown key " + in_quotes(pair.name) + " in [" + std::string(pair.section) + "]";
    if (among(whole_keys(), pair.name)) return begins + "; it is a key of [fleet]";
    std::vector<std::string> known = site_keys();
    for (const std::string& name : whole_keys()) {
      if (of_fleet) known.push_back(name);
    }
    const std::string nearest = did_you_mean(pair.name, known);
    return begins + (nearest.empty() ? "; docs/fleet.md has all keys" : nearest);
  }

  /// Adds what [fleet] says of all sites and the site does not say itself. Of what says the same thing in two ways, the
  /// site's own way counts; what goes with something else is added where that is there.
  void complete(FleetSite& site) const {
    const FleetValues own = site.said;
    for (const auto& [name, value] : all_sites_) {
      const auto other = std::ranges::find_if(kEither, [&](const auto& pair) { return pair.first == name; });
      const bool otherwise = other != kEither.end() && own.contains(std::string(other->second));
      if (!otherwise && partners_of(name).empty()) site.said.emplace(name, value);
    }
    for (const auto& [name, value] : all_sites_) {
      const auto is_there = [&](const std::string& partner) { return site.said.contains(partner); };
      if (std::ranges::any_of(partners_of(name), is_there)) site.said.emplace(name, value);
    }
  }

  std::vector<std::string> pair_names(bool of_sites) const {
    std::vector<std::string> names;
    if (of_sites) names.emplace_back(kDefault);
    for (std::size_t a = 0; a < file_.sites.size(); ++a) {
      if (of_sites) names.push_back(file_.sites[a].name);
      for (std::size_t b = a + 1; b < file_.sites.size(); ++b) {
        names.push_back(file_.sites[a].name + "-" + file_.sites[b].name);
      }
    }
    return names;
  }

  /// Puts a pair's sites in the order of the file. @param of_sites  a site alone, or default, may stand there
  void check_pair(FleetPairValue& one, bool of_sites) const {
    const auto known = pair_names(of_sites);
    if (among(known, one.of)) return;
    const auto dash = std::min(one.of.find('-'), one.of.size());
    if (dash < one.of.size()) {
      const std::string turned = one.of.substr(dash + 1) + "-" + one.of.substr(0, dash);
      if (among(known, turned)) {
        one.of = turned;
        return;
      }
    }
    throw ConfigError(file_.at(one.value.line) + ": " + in_quotes(one.of) +
                      (of_sites ? " is neither default nor a site nor two sites" : " is no two sites") + ", as in A-B" +
                      did_you_mean(one.of, known));
  }

  void check_twice(const std::vector<FleetPairValue>& values) const {
    for (auto one = values.begin(); one != values.end(); ++one) {
      const auto first =
          std::find_if(values.begin(), one, [&](const FleetPairValue& other) { return other.of == one->of; });
      if (first == one) continue;
      throw ConfigError(file_.at(one->value.line) + ": " + in_quotes(one->of) + " is there twice, first at " +
                        file_.at(first->value.line) + "; remove one of them");
    }
  }

  FleetFile file_;
  FleetValues all_sites_;
};

}  // namespace

FleetFile parse_fleet_text(std::string_view text, const std::filesystem::path& name) {
  return FleetReader(name).read(text);
}

FleetFile read_fleet_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    throw ConfigError(file.string() + ": there is no such fleet file; name one, such as scenarios/fleets/wan_4dc.cfg");
  }
  return parse_fleet_text(read_text(file), file);
}

}  // namespace dipaco
