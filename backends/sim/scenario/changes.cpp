#include "backends/sim/scenario/changes.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "backends/sim/scenario/options.hpp"
#include "backends/sim/timeline/capacity.hpp"
#include "backends/sim/timeline/link_rates.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

using Of = ScenarioChange::Of;
constexpr std::array<std::pair<std::string_view, Of>, 3> kKinds{
    {{"link:", Of::link}, {"zone:", Of::zone}, {"host:", Of::host}}};

const std::pair<std::string_view, Of>* kind_of(std::string_view setting) {
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& kind) { return setting.starts_with(kind.first); });
  return found == kKinds.end() ? nullptr : found;
}

constexpr std::string_view kChanges = "changes";
constexpr std::string_view kBetween = " \t\r\n";

/// Null: there is none.
const ScenarioProp* prop_changes(const ScenarioFile& file) {
  const ScenarioProp* found = nullptr;
  for (const ScenarioElement& element : file.elements()) {
    if (!element.is_zone() || element.depth != 1) continue;
    for (const ScenarioProp& prop : element.props) {
      if (prop.name != kChanges) continue;
      if (found != nullptr) throw ConfigError(file.at(prop.line) + ": the prop \"changes\" is there twice; write one");
      found = &prop;
    }
  }
  return found;
}

void check_of_link(const ScenarioChange& change) {
  const auto refuse = [&](const std::string& why) { throw ConfigError("--set " + change.text + ": " + why); };
  const auto wrong = [&](const std::string& kind) { refuse("\"" + change.value + "\" is no " + kind); };
  if (change.what == "bandwidth") {
    if (!parse_byte_rate(change.value)) wrong("rate with a unit, such as 10Mbps");
  } else if (change.what == "latency") {
    const auto time = parse_seconds(change.value);
    if (!time || *time < Seconds(0)) wrong("time with a unit, such as 5ms");
  } else if (change.value.empty() && (change.what == kLinkJitterProp || change.what == kOutagesProp)) {
    return;  // what the scenario says is taken away
  } else if (change.what == kLinkJitterProp) {
    if (!parse_link_jitter(change.value)) wrong(std::string(kLinkJitterForm));
  } else if (change.what == kOutagesProp) {
    try {
      parse_stretches(change.value);
    } catch (const std::invalid_argument& error) {
      refuse("\"" + change.value + "\" " + error.what());
    }
  } else {
    const std::array<std::string, 4> known{"bandwidth", "latency", std::string(kLinkJitterProp),
                                           std::string(kOutagesProp)};
    refuse("of a link, jitter, outages, bandwidth and latency can be set" + did_you_mean(change.what, known));
  }
}

}  // namespace

bool changes_scenario(std::string_view setting) { return kind_of(setting) != nullptr; }

ScenarioChange parse_change(const std::string& setting) {
  const auto* const kind = kind_of(setting);
  const std::size_t equals = setting.find('=');
  const std::size_t dot = setting.rfind('.', equals);
  const std::size_t begin = kind == nullptr ? 0 : kind->first.size();
  if (kind == nullptr || equals == std::string::npos || dot == std::string::npos || dot <= begin || dot + 1 >= equals) {
    throw ConfigError("--set " + setting +
                      ": write link:NAME.bandwidth=10Mbps, link:NAME.latency=5ms, zone:NAME.PROP=VALUE or "
                      "host:NAME.PROP=VALUE");
  }
  ScenarioChange change{.of = kind->second,
                        .name = setting.substr(begin, dot - begin),
                        .what = setting.substr(dot + 1, equals - dot - 1),
                        .value = setting.substr(equals + 1),
                        .text = setting};
  if (change.what == kChanges) throw ConfigError("--set " + setting + ": give each of the changes by itself");
  if (change.of == Of::link) check_of_link(change);
  return change;
}

std::vector<ScenarioChange> said_changes(const ScenarioFile& file) {
  std::vector<ScenarioChange> changes;
  const ScenarioProp* const said = prop_changes(file);
  if (said == nullptr) return changes;
  for (const std::string& one : split(said->value, ';')) {
    const std::size_t begin = one.find_first_not_of(kBetween);
    if (begin == std::string::npos) continue;
    try {
      changes.push_back(parse_change(one.substr(begin, one.find_last_not_of(kBetween) + 1 - begin)));
    } catch (const ConfigError& error) {
      constexpr std::size_t kOption = std::string_view("--set ").size();
      throw ConfigError(file.at(said->line) + ": changes: " + std::string(error.what()).substr(kOption));
    }
  }
  return changes;
}

void change_props(ScenarioFile& file, const std::vector<ScenarioChange>& changes) {
  for (const ScenarioChange& change : changes) {
    if (change.of == Of::host) file.set_host_prop(change.name, change.what, change.value);
    if (change.of != Of::zone || file.set_zone_prop(change.name, change.what, change.value)) continue;
    std::vector<std::string> known;
    for (const ScenarioElement& element : file.elements()) {
      if (element.is_zone()) known.push_back(element.id());
    }
    throw ConfigError("--set " + change.text + ": " + file.path().string() + " has no zone \"" + change.name + "\"" +
                      did_you_mean(change.name, known));
  }
}

void check_hosts(const std::vector<ScenarioChange>& changes, std::span<const PlatformZone> zones) {
  std::vector<std::string> known;
  for (const PlatformZone& zone : zones) {
    for (const PlatformHost& host : zone.hosts) known.push_back(host.name);
  }
  for (const ScenarioChange& change : changes) {
    if (change.of != Of::host || std::ranges::find(known, change.name) != known.end()) continue;
    throw ConfigError("--set " + change.text + ": the scenario has no host \"" + change.name + "\"" +
                      did_you_mean(change.name, known));
  }
}

bool fits(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at) {
    if (fits(rest, name.substr(at))) return true;
  }
  return false;
}

}  // namespace dipaco
