#include "backends/sim/engine/varying_links.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <simgrid/s4u.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "backends/sim/engine/links.hpp"
#include "backends/sim/scenario/options.hpp"
#include "core/base/error.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

bool changes_bandwidth(const ScenarioChange& change, const std::string& link) {
  if (change.of != ScenarioChange::Of::link || change.what != "bandwidth") return false;
  return fits(change.name, link) || fits(change.name, link + "_UP") || fits(change.name, link + "_DOWN");
}

/// What a scenario says of one link's bandwidth over time.
class VaryingLink {
 public:
  VaryingLink(const ScenarioFile& file, const ScenarioElement& link, const std::vector<ScenarioChange>& changes)
      : file_(file), link_(link), changes_(changes) {}

  /// Empty where it says nothing, but of jitter perhaps.
  std::vector<LinkRateStep> steps() const {
    const ScenarioProp* const prop = named(kLinkRatesProp);
    if (prop == nullptr) return {};
    check_alone(*prop);
    for (const ScenarioChange& change : changes_) {
      if (!changes_bandwidth(change, link_.id())) continue;
      fail(*prop, "gives the link its bandwidth, and so does " + change.text + "; take one of both");
    }
    const std::filesystem::path csv = file_.path().parent_path() / prop->value;
    std::error_code error;
    if (!std::filesystem::is_regular_file(csv, error)) {
      fail(*prop, "names no file: " + csv.string() + " is not there; the name is relative to the scenario");
    }
    return read_link_rates(csv);
  }

  /// Of a direction of the link, by SimGrid's name.
  std::optional<LinkJitter> jitter(const std::string& direction) const {
    std::optional<LinkJitter> jitter;
    if (const ScenarioProp* const prop = named(kLinkJitterProp)) {
      check_alone(*prop);
      jitter = parse_link_jitter(prop->value);
      if (!jitter) fail(*prop, "is no " + std::string(kLinkJitterForm));
    }
    for (const ScenarioChange& change : changes_) {
      if (change.of != ScenarioChange::Of::link || change.what != kLinkJitterProp) continue;
      if (!fits(change.name, link_.id()) && !fits(change.name, direction)) continue;
      jitter.reset();
      if (change.value.empty()) continue;
      if (!link_.attribute("bandwidth_file").empty() || is_wifi()) {
        throw ConfigError("--set " + change.text + ": " + link_.id() + " has a bandwidth_file, or is a WIFI link; " +
                          "other links can have jitter");
      }
      jitter = parse_link_jitter(change.value);
    }
    return jitter;
  }

 private:
  const ScenarioProp* named(std::string_view name) const {
    const ScenarioProp* found = nullptr;
    for (const ScenarioProp& prop : link_.props) {
      if (prop.name == name) found = &prop;
    }
    return found;
  }
  bool is_wifi() const { return link_.attribute("sharing_policy") == "WIFI"; }
  void check_alone(const ScenarioProp& prop) const {
    if (!link_.attribute("bandwidth_file").empty()) {
      fail(prop, "stands beside " + link_.said("bandwidth_file") + "; take one of both");
    }
    if (is_wifi()) {
      fail(prop, "is of a WIFI link, which has no bandwidth of its own; write a link of another sharing_policy");
    }
  }
  [[noreturn]] void fail(const ScenarioProp& prop, const std::string& what) const {
    throw ConfigError(file_.at(prop.line) + ": " + prop.name + "=\"" + prop.value + "\" " + what);
  }

  const ScenarioFile& file_;
  const ScenarioElement& link_;
  const std::vector<ScenarioChange>& changes_;
};

bool has_element(const ScenarioFile& file, const std::string& link) {
  return std::ranges::any_of(file.elements(), [&](const ScenarioElement& element) {
    return element.kind == "link" && is_of_link(link, element.id());
  });
}

/// Of links that SimGrid makes for a cluster, which only changes can name.
void vary_clusters_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes, LinkRates& rates) {
  for (const ScenarioChange& change : changes) {
    if (change.of != ScenarioChange::Of::link || change.what != kLinkJitterProp) continue;
    for (const sg::Link* const link : sg::Engine::get_instance()->get_all_links()) {
      const std::string& name = link->get_name();
      if (is_loopback(*link) || !names_link(change.name, name) || has_element(file, name)) continue;
      rates.erase(name);
      if (change.value.empty()) continue;
      rates.emplace(name, LinkRate(name, {{Seconds(0), {link->get_bandwidth()}}}, parse_link_jitter(change.value)));
    }
  }
}

void wait_for(sg::Link* link, const LinkRate& rate, std::uint64_t seed, Seconds now, Alarms& alarms) {
  const auto next = rate.changes_after(now);
  if (!next) return;
  alarms.at(*next, [link, &rate, seed, next, &alarms] {
    link->set_bandwidth(rate.at(*next, seed).value);
    wait_for(link, rate, seed, *next, alarms);
  });
}

}  // namespace

void check_varying_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes) {
  for (const ScenarioElement& element : file.elements()) {
    if (element.kind != "link") continue;
    const VaryingLink varying(file, element, changes);
    varying.steps();
    varying.jitter(element.id());
  }
}

LinkRates vary_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes) {
  LinkRates rates;
  for (const ScenarioElement& element : file.elements()) {
    if (element.kind != "link") continue;
    const VaryingLink varying(file, element, changes);
    const auto said = varying.steps();
    for (sg::Link* const link : sg::Engine::get_instance()->get_all_links()) {
      const std::string& name = link->get_name();
      if (!is_of_link(name, element.id())) continue;
      const auto jitter = varying.jitter(name);
      if (said.empty() && !jitter) continue;
      auto steps = said;
      if (steps.empty()) steps.push_back({Seconds(0), {link->get_bandwidth()}});
      link->set_bandwidth(steps.front().bandwidth.value);
      rates.emplace(name, LinkRate(name, std::move(steps), jitter));
    }
  }
  vary_clusters_links(file, changes, rates);
  return rates;
}

void vary_over_time(const LinkRates& rates, std::uint64_t seed, Alarms& alarms) {
  for (const auto& [name, rate] : rates) {
    sg::Link* const link = sg::Link::by_name(name);
    link->set_bandwidth(rate.at(Seconds(0), seed).value);
    wait_for(link, rate, seed, Seconds(0), alarms);
  }
}

}  // namespace dipaco
