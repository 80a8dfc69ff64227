#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/scenario/scenario_file.hpp"
#include "core/base/prices.hpp"

namespace dipaco {

/// Props that say what things cost, beside SimGrid's own wattage_per_state. Names and meaning: docs/scenarios.md.
inline constexpr std::array<std::string_view, 4> kMachineCostProps{"price", "spot_price", "power_price", "pue"};
inline constexpr std::string_view kEgressProp = "egress";
inline constexpr std::string_view kWattsProp = "wattage_per_state";

/// What one prop says, and where.
template <class Value>
struct SaidCost {
  Value value{};
  ScenarioProp prop{};
};

/// Idle and busy, as wattage_per_state has them.
struct HostWatts {
  Watts idle;
  Watts busy;
};

/// The prices of bytes that leave a zone's sites.
struct EgressPrices {
  std::optional<EgressPrice> all;            ///< to sites without a price of their own
  std::map<std::string, EgressPrice> sites;  ///< by the name of the site that receives
};

/// What one zone or host says.
struct CostProps {
  std::optional<SaidCost<UsdPerHour>> price;
  std::optional<SaidCost<UsdPerHour>> spot_price;
  std::optional<SaidCost<UsdPerKilowattHour>> power_price;
  std::optional<SaidCost<double>> pue;
  std::optional<SaidCost<HostWatts>> watts;
  std::optional<SaidCost<EgressPrices>> egress;
};

/// Reads the props of one element. @param sites  that egress may name
/// @throws ConfigError naming file, line and what to write: a price without its unit or below 0, watts below 0, a busy
///         machine that draws less than an idle one, a PUE below 1, a site that is not there (with the nearest)
CostProps read_cost_props(const ScenarioFile& file, const ScenarioElement& element,
                          const std::vector<std::string>& sites);

}  // namespace dipaco
