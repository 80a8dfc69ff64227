#include "backends/sim/costs/costs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "backends/sim/scenario/cost_props.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// One zone's or host's props and those of what is around it, the nearest first.
using Chain = std::vector<const CostProps*>;

/// What the nearest says that says anything.
template <class Value>
const Value* nearest(const Chain& chain, std::optional<SaidCost<Value>> CostProps::*member) {
  for (const CostProps* const props : chain) {
    if (props->*member) return &(props->*member)->value;
  }
  return nullptr;
}

std::optional<EgressPrice> egress_price(const Chain& chain, const std::string& to) {
  for (const CostProps* const props : chain) {
    if (!props->egress) continue;
    const EgressPrices& prices = props->egress->value;
    if (const auto named = prices.sites.find(to); named != prices.sites.end()) return named->second;
    if (prices.all) return prices.all;
  }
  return std::nullopt;
}

/// What zones and hosts say, and which of it is of anybody.
class SaidCosts {
 public:
  SaidCosts(const ScenarioFile& file, const std::vector<std::string>& sites) : file_(file) {
    std::vector<std::string> around;  // zones by depth
    for (const ScenarioElement& element : file.elements()) {
      around.resize(static_cast<std::size_t>(element.depth), "");
      if (!element.is_zone() && element.kind != "host") continue;
      auto& into = element.is_zone() ? zones_ : hosts_;
      into.emplace(element.id(), read_cost_props(file, element, sites));
      if (!element.is_zone()) continue;
      parents_.emplace(element.id(), around.empty() ? "" : around.back());
      around.push_back(element.id());
    }
  }

  Chain of_site(const std::string& site) const {
    Chain chain;
    for (std::string zone = site; zones_.contains(zone); zone = parents_.at(zone)) chain.push_back(&zones_.at(zone));
    return chain;
  }
  Chain of_host(const std::string& host, const std::string& site) const {
    Chain chain = of_site(site);
    if (const auto own = hosts_.find(host); own != hosts_.end()) chain.insert(chain.begin(), &own->second);
    return chain;
  }

  /// These props of the chain are of somebody.
  template <class... Member>
  void apply(const Chain& chain, Member... members) {
    const auto note = [&](const auto& said) {
      if (said) of_somebody_.insert(&said->prop);
    };
    for (const CostProps* const props : chain) (note(props->*members), ...);
  }

  /// @throws ConfigError where a prop is of nobody
  void check_all_apply() const {
    for (const auto* const said : {&zones_, &hosts_}) {
      for (const auto& [name, props] : *said) {
        check(name, props.price, "no machine with a role");
        check(name, props.watts, "no machine with a role");
        check(name, props.egress, "no site with a role");
        check(name, props.spot_price,
              "no machine that is taken away and given back: add preemption to the zone, or write price");
        check(name, props.pue, "no machine with watts: add wattage_per_state, such as \"60:400\" (idle:busy)");
        check(name, props.power_price, "no machine with watts: add wattage_per_state, such as \"60:400\" (idle:busy)");
      }
    }
  }

 private:
  template <class Value>
  void check(const std::string& name, const std::optional<SaidCost<Value>>& said, const char* of) const {
    if (!said || of_somebody_.contains(&said->prop)) return;
    throw ConfigError(file_.at(said->prop.line) + ": the prop \"" + said->prop.name + "\" in \"" + name + "\" is of " +
                      of);
  }

  const ScenarioFile& file_;
  std::map<std::string, CostProps> zones_;
  std::map<std::string, CostProps> hosts_;
  std::map<std::string, std::string> parents_;  ///< of zones
  std::set<const ScenarioProp*> of_somebody_;
};

class CostReader {
 public:
  CostReader(const ScenarioFile& file, const Placement& placement, const std::vector<PlatformZone>& zones)
      : file_(file), placement_(placement), zones_(zones), said_(file, placement.sites) {
    for (const PlacedNode& node : placement.nodes) {
      with_role_.insert(node.host);
      site_with_role_.insert(placement.sites[static_cast<std::size_t>(index(node.site))]);
    }
    spot_ = placement.reclaimable();
  }

  CostFacts read() {
    for (std::size_t site = 0; site < zones_.size(); ++site) {
      for (const PlatformHost& host : zones_[site].hosts) read_machine(host.name, site);
      read_egress(site);
    }
    said_.check_all_apply();
    check_machines(&MachineFacts::price, "price", "add price=\"2.50 USD/h\", or \"0 USD/h\" if it costs nothing");
    check_machines(&MachineFacts::power, "watts", "add wattage_per_state=\"60:400\" (idle:busy), or \"0:0\"");
    check_egress();
    return std::move(costs_);
  }

 private:
  void read_machine(const std::string& host, std::size_t site) {
    const Chain chain = said_.of_host(host, zones_[site].name);
    const bool used = with_role_.contains(host);
    const bool spot = spot_.contains(host);
    const HostWatts* const watts = nearest(chain, &CostProps::watts);
    said_.apply(chain, &CostProps::price, &CostProps::watts);
    if (spot || !used) said_.apply(chain, &CostProps::spot_price);
    if (watts != nullptr || !used) said_.apply(chain, &CostProps::pue, &CostProps::power_price);
    if (!used) return;
    MachineFacts machine{
        .name = host, .site = SiteId{static_cast<std::int32_t>(site)}, .billed_while_away = !spot, .there = {}};
    const UsdPerHour* price = spot ? nearest(chain, &CostProps::spot_price) : nullptr;
    if (price == nullptr) price = nearest(chain, &CostProps::price);
    if (price != nullptr) machine.price = *price;
    if (watts != nullptr) {
      const double* const pue = nearest(chain, &CostProps::pue);
      machine.power = {.idle = watts->idle, .busy = watts->busy, .pue = pue != nullptr ? *pue : 1};
      const auto* const power_price = nearest(chain, &CostProps::power_price);
      if (power_price != nullptr) machine.power_price = *power_price;
    }
    costs_.machines.push_back(std::move(machine));
  }

  void read_egress(std::size_t site) {
    const Chain chain = said_.of_site(zones_[site].name);
    said_.apply(chain, &CostProps::egress);
    const bool says = nearest(chain, &CostProps::egress) != nullptr;
    for (std::size_t to = 0; to < zones_.size(); ++to) {
      if (to == site || !site_with_role_.contains(zones_[site].name) || !site_with_role_.contains(zones_[to].name))
        continue;
      const auto price = egress_price(chain, zones_[to].name);
      const std::pair sites{SiteId{static_cast<std::int32_t>(site)}, SiteId{static_cast<std::int32_t>(to)}};
      if (price) {
        costs_.egress.emplace(sites, *price);
        continue;
      }
      if (!unpriced_) unpriced_ = sites;
      if (!says) return;  // of very many sites that say nothing there are too many pairs to look at
    }
  }

  /// A sum without some of its parts would be no sum. Where no machine has any of it, none is billed.
  template <class Value>
  void check_machines(std::optional<Value> MachineFacts::*member, const std::string& what, const std::string& remedy) {
    const auto has = [&](const MachineFacts& machine) { return (machine.*member).has_value(); };
    if (std::ranges::none_of(costs_.machines, has)) return;
    const auto without = std::ranges::find_if_not(costs_.machines, has);
    if (without == costs_.machines.end()) return;
    const std::string& site = site_name(without->site);
    throw ConfigError(file_.at(file_.line_of_host(without->name, site)) + ": host \"" + without->name + "\" has no " +
                      what + ", and others have one; " + remedy + ", to it or to its zone");
  }

  void check_egress() const {
    if (costs_.egress.empty() || !unpriced_) return;
    const auto& [from, to] = *unpriced_;
    throw ConfigError(file_.at(file_.line_of_host("", site_name(from))) + ": site \"" + site_name(from) +
                      "\" has no egress price to site \"" + site_name(to) +
                      "\", and other pairs have one; add egress=\"0.09 USD/GB\", or \"0 USD/GB\" if it costs nothing, "
                      "to its zone or to the root zone");
  }

  const std::string& site_name(SiteId site) const { return placement_.sites[static_cast<std::size_t>(index(site))]; }

  const ScenarioFile& file_;
  const Placement& placement_;
  const std::vector<PlatformZone>& zones_;
  SaidCosts said_;
  std::set<std::string> with_role_;       ///< hosts
  std::set<std::string> site_with_role_;  ///< names of sites
  std::set<std::string> spot_;            ///< hosts that their owner takes away and gives back
  CostFacts costs_;
  std::optional<std::pair<SiteId, SiteId>> unpriced_;  ///< the first of those without a price
};

}  // namespace

CostFacts read_costs(const ScenarioFile& file, const Placement& placement, const std::vector<PlatformZone>& zones) {
  CostFacts costs = CostReader(file, placement, zones).read();
  const auto said = [](const MachineFacts& machine) { return machine.price || machine.power; };
  if (std::ranges::none_of(costs.machines, said)) costs.machines.clear();
  return costs;
}

}  // namespace dipaco
