#include "backends/sim/engine/varying_links.hpp"

#include <cstddef>
#include <filesystem>
#include <simgrid/s4u.hpp>
#include <string>
#include <system_error>

#include "backends/sim/scenario/options.hpp"
#include "core/base/error.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

/// SimGrid calls the directions of a SPLITDUPLEX link NAME_UP and NAME_DOWN.
bool is_of(const std::string& name, const std::string& link) {
  return name == link || name == link + "_UP" || name == link + "_DOWN";
}

class VaryingLink {
 public:
  VaryingLink(const ScenarioFile& file, const ScenarioElement& link, const ScenarioProp& prop)
      : file_(file), link_(link), prop_(prop) {}

  void check(const std::vector<ScenarioChange>& changes) const {
    if (!link_.attribute("bandwidth_file").empty()) {
      fail("stands beside " + link_.said("bandwidth_file") + "; take one of both");
    }
    if (link_.attribute("sharing_policy") == "WIFI") {
      fail("is of a WIFI link, which has no bandwidth of its own; write a link of another sharing_policy");
    }
    for (const ScenarioChange& change : changes) {
      if (change.of != ScenarioChange::Of::link || change.what != "bandwidth") continue;
      const std::string& name = link_.id();
      if (fits(change.name, name) || fits(change.name, name + "_UP") || fits(change.name, name + "_DOWN")) {
        fail("gives the link its bandwidth, and so does " + change.text + "; take one of both");
      }
    }
  }

  std::vector<LinkRateStep> read() const {
    const std::filesystem::path csv = file_.path().parent_path() / prop_.value;
    std::error_code error;
    if (!std::filesystem::is_regular_file(csv, error)) {
      fail("names no file: " + csv.string() + " is not there; the name is relative to the scenario");
    }
    return read_link_rates(csv);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError(file_.at(prop_.line) + ": " + prop_.name + "=\"" + prop_.value + "\" " + what);
  }

  const ScenarioFile& file_;
  const ScenarioElement& link_;
  const ScenarioProp& prop_;
};

template <class Take>
void for_each_varying(const ScenarioFile& file, const std::vector<ScenarioChange>& changes, Take take) {
  for (const ScenarioElement& element : file.elements()) {
    if (element.kind != "link") continue;
    for (const ScenarioProp& prop : element.props) {
      if (prop.name != kLinkRatesProp) continue;
      const VaryingLink varying(file, element, prop);
      varying.check(changes);
      take(element, varying.read());
    }
  }
}

void wait_for(sg::Link* link, const std::vector<LinkRateStep>& steps, std::size_t next, Alarms& alarms) {
  if (next >= steps.size()) return;
  alarms.at(steps[next].time, [link, &steps, next, &alarms] {
    link->set_bandwidth(steps[next].bandwidth.value);
    wait_for(link, steps, next + 1, alarms);
  });
}

}  // namespace

void check_varying_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes) {
  for_each_varying(file, changes, [](const ScenarioElement&, const std::vector<LinkRateStep>&) {});
}

LinkRates vary_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes) {
  LinkRates rates;
  for_each_varying(file, changes, [&](const ScenarioElement& element, const std::vector<LinkRateStep>& steps) {
    for (sg::Link* const link : sg::Engine::get_instance()->get_all_links()) {
      if (!is_of(link->get_name(), element.id())) continue;
      link->set_bandwidth(steps.front().bandwidth.value);
      rates[link->get_name()] = steps;
    }
  });
  return rates;
}

void vary_over_time(const LinkRates& rates, Alarms& alarms) {
  for (const auto& [link, steps] : rates) wait_for(sg::Link::by_name(link), steps, 1, alarms);
}

}  // namespace dipaco
