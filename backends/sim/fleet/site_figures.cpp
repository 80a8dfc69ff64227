#include "backends/sim/fleet/site_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "backends/sim/scenario/scenario_file.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::int64_t kMostMachines = 10'000;
constexpr std::int64_t kMostDevices = 1'000;
/// Choice: accelerators that do nothing, as a share of their makers' watts (scenarios/wan_4dc.xml).
constexpr double kIdleShare = 0.15;
constexpr double kTera = 1e12;

/// "312Tf"
std::optional<FlopsPerSecond> parse_speed(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{{{"Gf", 1e9}, {"Tf", kTera}, {"Pf", 1e15}}};
  for (const auto& [unit, factor] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = parse_number(trim(text.substr(0, text.size() - unit.size())));
    if (number && *number > 0) return FlopsPerSecond{*number * factor};
  }
  return std::nullopt;
}

}  // namespace

std::string rounded(double value, int digits) {
  const double scale = std::pow(10, digits);
  return format_number(std::round(value * scale) / scale);
}

SiteFigures::SiteFigures(const FleetFile& file, const FleetSite& site, const FleetTables& tables)
    : file_(file), site_(site), tables_(tables), machines_(read_machines()) {}

void SiteFigures::fail(int line, const std::string& what) const { throw ConfigError(file_.at(line) + ": " + what); }

const FleetValue* SiteFigures::said(const std::string& key) const {
  const auto found = site_.said.find(key);
  return found == site_.said.end() ? nullptr : &found->second;
}

PlannedValue SiteFigures::as_said(const FleetValue& value) const {
  return {value.text, file_.path.filename().string() + ":" + std::to_string(value.line), value.line};
}

PlannedValue SiteFigures::said_or(const std::string& key, const std::string& choice, const std::string& source) const {
  const FleetValue* const value = said(key);
  return value != nullptr ? as_said(*value) : PlannedValue{choice, source, site_.line};
}

FleetMachines SiteFigures::read_machines() const {
  const FleetValue* const value = said("machines");
  if (value == nullptr) {
    fail(site_.line,
         "site " + in_quotes(site_.name) + " has no machines; write machines=2 x 8 H100 for two machines of eight");
  }
  std::vector<std::string> words;
  for (const std::string& word : split(value->text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  std::optional<std::int64_t> machines;
  std::optional<std::int64_t> devices;
  if (words.size() == 4 && words[1] == "x") {
    machines = parse_integer(words[0]);
    devices = parse_integer(words[2]);
  }
  if (!machines || !devices || *machines < 1 || *machines > kMostMachines || *devices < 1 || *devices > kMostDevices) {
    fail(value->line,
         "machines=" + value->text +
             " is no number of machines; write machines=2 x 8 H100 for two machines (up to 10000) of eight "
             "accelerators each (up to 1000)");
  }
  return {static_cast<int>(*machines), static_cast<int>(*devices), words[3], value->line};
}

FleetValue SiteFigures::region(const std::string& key, const std::string& what_else) const {
  constexpr std::array<std::string_view, 3> kKeys{"egress_region", "price_region", "region"};
  for (auto one = std::ranges::find(kKeys, key); one != kKeys.end(); ++one) {
    if (const FleetValue* const value = said(std::string(*one))) return {without_zone(value->text), value->line};
  }
  fail(site_.line, "site " + in_quotes(site_.name) + " has no region; write region=gcp:us-east4, or " + what_else);
}

const DeviceRow& SiteFigures::device(const std::string& key) const {
  const auto found = std::ranges::find(tables_.devices, machines_.device, &DeviceRow::name);
  if (found != tables_.devices.end()) return *found;
  std::vector<std::string> known;
  for (const DeviceRow& row : tables_.devices) known.push_back(row.name);
  const std::string nearest = did_you_mean(machines_.device, known);
  fail(machines_.line, "prices/devices.csv has no device " + in_quotes(machines_.device) +
                           (nearest.empty() ? "." : nearest) + " It has " + alternatives(known) +
                           ". For another one write " + key);
}

PlannedValue SiteFigures::speed() const {
  const std::string each = std::to_string(machines_.devices) + " x ";
  if (const FleetValue* const peak = said("peak")) {
    const auto speed = parse_speed(peak->text);
    if (!speed) {
      fail(peak->line,
           "peak=" + peak->text + " is no speed of one device with its unit; write its dense peak, such as 312Tf");
    }
    return {rounded(machines_.devices * speed->value / kTera, 6) + "Tf",
            each + peak->text + ", " + as_said(*peak).source, peak->line};
  }
  const DeviceRow& row = device("peak=312Tf, and its mfu=, wattage_per_state= and price=");
  return {rounded(machines_.devices * row.peak.value / kTera, 6) + "Tf",
          each + row.name + " of " + rounded(row.peak.value / kTera, 2) + " TFLOP/s (dense, " + row.precision +
              ") and " + rounded(row.memory_gib, 1) + " GiB: prices/devices.csv, " + row.source,
          machines_.line};
}

std::optional<PlannedValue> SiteFigures::memory() const {
  const std::string each = machines_.devices > 1 ? std::to_string(machines_.devices) + " x " : "";
  if (const FleetValue* const value = said("memory")) {
    PlannedValue memory = as_said(*value);
    memory.value = each + memory.value;
    return memory;
  }
  const auto found = std::ranges::find(tables_.devices, machines_.device, &DeviceRow::name);
  if (found == tables_.devices.end() || found->memory_gib <= 0) return std::nullopt;
  return PlannedValue{each + rounded(found->memory_gib, 1) + "GiB", "prices/devices.csv, " + found->source,
                      machines_.line};
}

PlannedValue SiteFigures::mfu() const {
  if (const FleetValue* const value = said("mfu")) return as_said(*value);
  std::vector<double> shares;
  std::string source;
  for (const SeenMfu& row : tables_.mfu) {
    if (row.device != machines_.device) continue;
    shares.push_back(row.share);
    source = row.source;
  }
  if (shares.empty()) {
    fail(machines_.line, "prices/mfu.csv has no mfu of the device " + in_quotes(machines_.device) +
                             "; write mfu=0.4, the share of its peak that training reaches, or step_time=");
  }
  std::ranges::sort(shares);
  const std::size_t middle = shares.size() / 2;
  const double median = shares.size() % 2 == 1 ? shares[middle] : (shares[middle - 1] + shares[middle]) / 2;
  if (shares.size() > 1) {
    source = "median of " + std::to_string(shares.size()) + " from " + rounded(shares.front(), 2) + " to " +
             rounded(shares.back(), 2) + ", " + source;
  }
  return {rounded(median, 4), "prices/mfu.csv: " + source, machines_.line};
}

PlannedValue SiteFigures::watts() const {
  if (const FleetValue* const value = said("wattage_per_state")) return as_said(*value);
  const DeviceRow& row = device("wattage_per_state=60:400, a machine's watts while it is idle and busy");
  const double busy = machines_.devices * row.watts.value;
  return {rounded(kIdleShare * busy, 2) + ":" + rounded(busy, 2),
          std::to_string(machines_.devices) + " x " + rounded(row.watts.value, 2) +
              " W: prices/devices.csv; Choice: 15 % of that while idle",
          machines_.line};
}

const DevicePrice& SiteFigures::listed_price(const std::string& key) const {
  const FleetValue in = region("price_region", key + "=, or prices=off in [fleet]");
  std::vector<std::string> regions;
  std::set<std::string> all;
  for (const DevicePrice& row : tables_.prices) {
    if (row.device == machines_.device && row.region == in.text) return row;
    if (row.device == machines_.device) regions.push_back(row.region);
    all.insert(row.region);
  }
  const std::string nearest =
      all.contains(in.text) ? "" : did_you_mean(in.text, std::vector<std::string>(all.begin(), all.end()));
  fail(in.line, "prices/machines.csv has no price of " + in_quotes(machines_.device) + " in " + in_quotes(in.text) +
                    (nearest.empty() ? "." : nearest) + " It has " +
                    (regions.empty() ? "none of that device" : "that device in " + alternatives(regions)) +
                    ". Write price_region=, or " + key + "=2.50 USD/h for a machine, or prices=off in [fleet]");
}

PlannedValue SiteFigures::hourly(UsdPerHour of_one, const DevicePrice& listed) const {
  return {rounded(machines_.devices * of_one.value, 4) + " USD/h",
          std::to_string(machines_.devices) + " x " + format_number(of_one.value) + ": prices/machines.csv, " +
              listed.device + " in " + listed.region + ", " + listed.source,
          machines_.line};
}

PlannedValue SiteFigures::price() const {
  if (const FleetValue* const value = said("price")) return as_said(*value);
  const DevicePrice& listed = listed_price("price");
  return hourly(listed.on_demand, listed);
}

PlannedValue SiteFigures::spot_price() const {
  if (const FleetValue* const value = said("spot_price")) return as_said(*value);
  const DevicePrice& listed = listed_price("spot_price");
  if (listed.spot) return hourly(*listed.spot, listed);
  fail(machines_.line, "prices/machines.csv has no spot price of " + in_quotes(listed.device) + " in " +
                           in_quotes(listed.region) +
                           "; write spot_price=. Where it has both, a spot machine costs 47 % of one on demand, here " +
                           rounded(0.47 * machines_.devices * listed.on_demand.value, 2) + " USD/h");
}

PlannedValue SiteFigures::notice() const {
  if (const FleetValue* const value = said("notice")) return as_said(*value);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNotices{
      {{"aws:", "120s"}, {"gcp:", "30s"}, {"azure:", "30s"}}};
  for (const char* const key : {"price_region", "region"}) {
    const FleetValue* const where = said(key);
    if (where == nullptr) continue;
    for (const auto& [cloud, time] : kNotices) {
      if (where->text.starts_with(cloud)) {
        return {std::string(time), "what this cloud gives before it takes a spot machine", where->line};
      }
    }
  }
  return {};
}

}  // namespace dipaco
