#include "backends/sim/platform/simgrid_settings.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

/// A setting of SimGrid's that is a number.
struct NumberSetting {
  std::string_view key;
  std::string_view unit;  ///< that SimGrid takes the number to have
  bool above_zero = false;
};

constexpr NumberSetting kNumbers[] = {
    {"network/TCP-gamma", "bytes"},         {"network/latency-factor", ""},
    {"network/bandwidth-factor", "", true}, {"network/loopback-bw", "bytes a second", true},
    {"network/loopback-lat", "seconds"},    {"network/weight-S", ""},
};

/// What SimGrid reads as on or off.
constexpr std::array<std::string_view, 8> kSwitch{"yes", "on", "true", "1", "no", "off", "false", "0"};

/// Others about the network.
constexpr std::array<std::string_view, 5> kOthers{"network/model", "network/crosstraffic", "network/optim",
                                                  "network/solver", "network/maxmin-selective-update"};

/// "; did you mean ...?" for a setting of the network that is none, or "".
std::string nearest_setting(const std::string& key) {
  if (!key.starts_with("network/")) return "";
  std::vector<std::string> known(kOthers.begin(), kOthers.end());
  for (const NumberSetting& setting : kNumbers) known.emplace_back(setting.key);
  return std::ranges::find(known, key) != known.end() ? "" : did_you_mean(key, known);
}

/// What is wrong with the value, and what to write; "" where it fits.
std::string misfit(std::string_view key, const std::string& value) {
  if (key == "network/crosstraffic" && std::ranges::find(kSwitch, value) == kSwitch.end()) {
    return "is neither on nor off; write \"yes\" or \"no\"";
  }
  const auto* const setting = std::ranges::find(kNumbers, key, &NumberSetting::key);
  if (setting == std::end(kNumbers)) return "";
  const auto number = parse_number(value);
  if (number && (*number > 0 || (*number == 0 && !setting->above_zero))) return "";
  const std::string of_unit = setting->unit.empty() ? "" : " of " + std::string(setting->unit);
  return "is no number" + of_unit + (setting->above_zero ? " above 0" : " of at least 0") + "; write one" +
         (setting->unit.empty() ? "" : ", without a unit");
}

}  // namespace

void check_settings(const ScenarioFile& file, const std::vector<std::string>& cfg) {
  for (const ScenarioElement& element : file.elements()) {
    if (element.kind != "config") continue;
    for (const ScenarioProp& prop : element.props) {
      const std::string what = misfit(prop.name, prop.value);
      if (what.empty()) continue;
      throw ConfigError(file.at(prop.line) + ": " + prop.name + "=" + in_quotes(prop.value) + " in <config> " + what);
    }
  }
  for (const std::string& setting : cfg) {
    const auto colon = setting.find(':');
    if (colon == std::string::npos || colon == 0) {
      throw ConfigError("--cfg " + setting + " is no KEY:VALUE; write it as in --cfg network/model:LV08");
    }
    const std::string nearest = nearest_setting(setting.substr(0, colon));
    if (!nearest.empty()) throw ConfigError("--cfg " + setting + ": SimGrid has no such setting" + nearest);
    const std::string what = misfit(setting.substr(0, colon), setting.substr(colon + 1));
    if (!what.empty()) throw ConfigError("--cfg " + setting + ": the value " + what);
  }
}

}  // namespace dipaco
