#include "backends/sim/engine/link_outages.hpp"

#include <cstdint>
#include <simgrid/s4u.hpp>
#include <stdexcept>

#include "backends/sim/engine/links.hpp"
#include "backends/sim/scenario/options.hpp"
#include "core/base/error.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

std::vector<TimeStretch> said_by(const ScenarioFile& file, const ScenarioElement& link) {
  std::vector<TimeStretch> stretches;
  for (const ScenarioProp& prop : link.props) {
    if (prop.name != kOutagesProp) continue;
    const std::string where = file.at(prop.line) + ": outages=\"" + prop.value + "\" ";
    if (!link.attribute("state_file").empty()) {
      throw ConfigError(where + "stands beside " + link.said("state_file") + "; take one of both");
    }
    try {
      stretches = parse_stretches(prop.value);
    } catch (const std::invalid_argument& error) {
      throw ConfigError(where + error.what());
    }
  }
  return stretches;
}

/// Of each of SimGrid's links that the change names, also of those that SimGrid makes for a cluster.
void change_outages(const ScenarioFile& file, const ScenarioChange& change, LinkOutages& outages) {
  for (const sg::Link* const link : sg::Engine::get_instance()->get_all_links()) {
    const std::string& name = link->get_name();
    if (is_loopback(*link) || !names_link(change.name, name)) continue;
    outages.erase(name);
    if (change.value.empty()) continue;
    for (const ScenarioElement& element : file.elements()) {
      if (element.kind != "link" || !is_of_link(name, element.id()) || element.attribute("state_file").empty())
        continue;
      throw ConfigError("--set " + change.text + ": " + element.id() + " has a state_file; take one of both");
    }
    outages.emplace(name, parse_stretches(change.value));
  }
}

}  // namespace

LinkOutages read_link_outages(const ScenarioFile& file, const std::vector<ScenarioChange>& changes) {
  LinkOutages outages;
  for (const ScenarioElement& element : file.elements()) {
    if (element.kind != "link") continue;
    const std::vector<TimeStretch> said = said_by(file, element);
    if (said.empty()) continue;
    for (const sg::Link* const link : sg::Engine::get_instance()->get_all_links()) {
      if (is_of_link(link->get_name(), element.id())) outages.emplace(link->get_name(), said);
    }
  }
  for (const ScenarioChange& change : changes) {
    if (change.of == ScenarioChange::Of::link && change.what == kOutagesProp) change_outages(file, change, outages);
  }
  return outages;
}

std::string told_of_links_off() {
  std::string first;
  std::int64_t off = 0;
  for (const sg::Link* const link : sg::Engine::get_instance()->get_all_links()) {
    if (!link->is_on() && !is_loopback(*link) && off++ == 0) first = link->get_name();
  }
  if (off == 0) return {};
  const std::string others =
      off == 1 ? " is" : " and " + std::to_string(off - 1) + (off == 2 ? " other" : " others") + " are";
  return "link " + first + others + " off, as outages or a state_file say: no message crosses";
}

void turn_links_off(const LinkOutages& outages, Alarms& alarms) {
  for (const auto& [name, stretches] : outages) {
    sg::Link* const link = sg::Link::by_name(name);
    for (const TimeStretch& stretch : stretches) {
      alarms.at(stretch.from, [link] { link->turn_off(); });
      if (stretch.to) alarms.at(*stretch.to, [link] { link->turn_on(); });
    }
  }
}

}  // namespace dipaco
