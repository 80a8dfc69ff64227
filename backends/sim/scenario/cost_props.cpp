#include "backends/sim/scenario/cost_props.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr double kMostWatts = 1e9;  // of one machine: a power station
constexpr double kMostPue = 100;

class CostPropReader {
 public:
  CostPropReader(const ScenarioFile& file, const ScenarioElement& element, const std::vector<std::string>& sites)
      : file_(file), element_(element), sites_(sites) {}

  CostProps read() const {
    CostProps said;
    for (const ScenarioProp& prop : element_.props) {
      if (prop.name == "price") said.price = {machine_price(prop, "2.50 USD/h"), prop};
      if (prop.name == "spot_price") said.spot_price = {machine_price(prop, "0.80 USD/h"), prop};
      if (prop.name == "power_price") said.power_price = {power_price(prop), prop};
      if (prop.name == "pue") said.pue = {pue(prop), prop};
      if (prop.name == kWattsProp) said.watts = {watts(prop), prop};
      if (prop.name == kEgressProp) said.egress = {egress(prop), prop};
    }
    return said;
  }

 private:
  [[noreturn]] void fail(const ScenarioProp& prop, const std::string& what) const {
    throw ConfigError(file_.at(prop.line) + ": " + prop.name + "=\"" + prop.value + "\" " + what);
  }

  UsdPerHour machine_price(const ScenarioProp& prop, const std::string& example) const {
    if (const auto price = parse_usd_per_hour(prop.value)) return *price;
    fail(prop, "is no price of 0 or more with its unit; write US dollars an hour, such as \"" + example + "\"");
  }

  UsdPerKilowattHour power_price(const ScenarioProp& prop) const {
    if (const auto price = parse_usd_per_kilowatt_hour(prop.value)) return *price;
    fail(prop, "is no price of 0 or more with its unit; write US dollars a kilowatt hour, such as \"0.12 USD/kWh\"");
  }

  double pue(const ScenarioProp& prop) const {
    const auto value = parse_number(prop.value);
    if (value && *value >= 1 && *value <= kMostPue) return *value;
    fail(prop,
         "is no factor from 1 to 100; write the watts of the site for each watt of its machines, such as \"1.2\"");
  }

  /// SimGrid's form: "idle:busy" or "idle:epsilon:busy", one for each state of the host. A host keeps the state that it
  /// has at the start. All cores train, so what lies between idle and busy does not matter.
  HostWatts watts(const ScenarioProp& prop) const {
    const auto states = split(prop.value, ',');
    const auto attribute = element_.attributes.find("pstate");
    const auto state = attribute == element_.attributes.end() ? 0 : parse_integer(attribute->second).value_or(0);
    if (state < 0 || static_cast<std::size_t>(state) >= states.size()) {
      fail(prop, "has no watts of state " + std::to_string(state) + "; write idle:busy for each state of the host");
    }
    std::vector<double> numbers;
    for (const std::string& part : split(states[static_cast<std::size_t>(state)], ':')) {
      const auto number = parse_number(part);
      if (!number || *number < 0 || *number > kMostWatts) numbers.clear();
      if (!number || *number < 0 || *number > kMostWatts) break;
      numbers.push_back(*number);
    }
    if (numbers.size() != 2 && numbers.size() != 3) {
      fail(prop, "is no watts of 0 or more; write idle:busy, such as \"60:400\"");
    }
    if (numbers.back() < numbers.front()) {
      fail(prop, "has a busy machine draw less than an idle one; write idle:busy, such as \"60:400\"");
    }
    return {.idle = {numbers.front()}, .busy = {numbers.back()}};
  }

  EgressPrices egress(const ScenarioProp& prop) const {
    EgressPrices prices;
    for (const std::string& part : split(prop.value, ',')) {
      const auto gap = std::min(part.find_first_of(" \t"), part.size());
      const std::string site = part.substr(0, gap);
      if (const auto price = parse_egress_price(part)) {
        if (prices.all) fail(prop, "has two prices without a site before them; name the site of one");
        prices.all = *price;
      } else if (const auto priced = parse_egress_price(std::string_view(part).substr(gap))) {
        check_receiver(prop, site);
        if (!prices.sites.emplace(site, *priced).second) fail(prop, "names the site \"" + site + "\" twice");
      } else {
        fail(prop, "has the part \"" + part +
                       "\", which is no price of 0 or more with its unit; write \"0.09 USD/GB\" (10^9 bytes) or "
                       "\"0.09 USD/GiB\" (2^30), with a site before it where the price is for that alone: "
                       "\"0.09 USD/GB, tokyo 0.12 USD/GB\"");
      }
    }
    if (!prices.all && prices.sites.empty()) fail(prop, "has no price; write it like \"0.09 USD/GB\"");
    return prices;
  }

  void check_receiver(const ScenarioProp& prop, const std::string& site) const {
    if (std::find(sites_.begin(), sites_.end(), site) == sites_.end()) {
      fail(prop, "names the site \"" + site + "\", which is not there" + did_you_mean(site, sites_));
    }
    if (site == element_.id()) fail(prop, "names the site itself: what stays within it is no egress");
  }

  const ScenarioFile& file_;
  const ScenarioElement& element_;
  const std::vector<std::string>& sites_;
};

}  // namespace

CostProps read_cost_props(const ScenarioFile& file, const ScenarioElement& element,
                          const std::vector<std::string>& sites) {
  return CostPropReader(file, element, sites).read();
}

}  // namespace dipaco
