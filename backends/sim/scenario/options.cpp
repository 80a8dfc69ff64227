#include "backends/sim/scenario/options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "backends/sim/scenario/cost_props.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::array<std::string_view, 7> kRootProps{"run",        "coordinator", "tcp", "tcp_streams",
                                                     "tcp_window", "changes",     "ties"};
/// What one connection has that nobody has tuned: between clouds a window of 3.0 MB was measured (docs/scenarios.md).
constexpr double kUntunedStreams = 1;
constexpr Bytes kUntunedWindow{3'000'000};
constexpr std::array<std::string_view, 14> kZoneProps{"workers",
                                                      "executors",
                                                      "store",
                                                      "evaluators",
                                                      "preemption",
                                                      "preemption_time_scale",
                                                      "preemption_machine_scale",
                                                      "preemption_offset",
                                                      "preemption_end",
                                                      "reclaims",
                                                      "given_back",
                                                      "capacity",
                                                      "outages",
                                                      "notice"};
constexpr std::array<std::string_view, 12> kHostProps{"role",   "mfu",      "step_time", "mtbf", "mttr",   "failures",
                                                      "repair", "start_up", "jitter",    "disk", "intake", "memory"};
/// Props that SimGrid and its plugins read themselves.
constexpr std::array<std::string_view, 8> kSimGridProps{
    "content", "size", "mount", "ram", "ramsize", "pstates", "control_duration", "core"};
constexpr std::array<std::string_view, 4> kSimGridPrefixes{"wattage_", "watt_", "wifi_", "carbon_"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool ours(std::string_view name) {
  return contains(kRootProps, name) || contains(kZoneProps, name) || contains(kHostProps, name) ||
         contains(kMachineCostProps, name) || name == kEgressProp || name == kLinkRatesProp;
}

bool simgrids(std::string_view name) {
  const auto starts = [&](std::string_view prefix) { return name.starts_with(prefix); };
  return contains(kSimGridProps, name) || std::any_of(kSimGridPrefixes.begin(), kSimGridPrefixes.end(), starts);
}

/// Elements whose props we look at; what links and disks carry is SimGrid's affair.
bool looked_at(const ScenarioElement& element) { return element.is_zone() || element.kind == "host"; }

class OptionsReader {
 public:
  explicit OptionsReader(const ScenarioFile& file) : file_(file) {}

  ScenarioOptions read() {
    for (const ScenarioElement& element : file_.elements()) {
      for (const ScenarioProp& prop : element.props) result_.ours |= looked_at(element) && ours(prop.name);
    }
    for (const ScenarioElement& element : file_.elements()) {
      if (element.kind == "config" || !result_.ours) continue;
      for (const ScenarioProp& prop : element.props) check_known(element, prop);
    }
    for (const ScenarioElement& element : file_.elements()) {
      if (element.is_zone()) read_zone(element);
      if (element.kind == "host") read_host(element, result_.hosts);
    }
    name_tcp();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const { throw ConfigError(file_.at(line) + ": " + what); }

  void check_known(const ScenarioElement& element, const ScenarioProp& prop) const {
    const std::string where = "<" + element.kind + " id=\"" + element.id() + "\">";
    const bool root = element.is_zone() && element.depth == 1;
    constexpr std::array kLinkProps{kLinkRatesProp, kLinkJitterProp, kOutagesProp};
    if (element.kind == "link" && contains(kLinkProps, prop.name)) return;
    if (prop.name == kLinkRatesProp) {
      fail(prop.line, "the prop \"" + prop.name + "\" belongs into a link, not into " + where);
    }
    if (element.kind == "link" && !simgrids(prop.name)) {
      const std::vector<std::string> known(kLinkProps.begin(), kLinkProps.end());
      if (const std::string meant = did_you_mean(prop.name, known); !meant.empty()) {
        fail(prop.line, "unknown prop \"" + prop.name + "\" in " + where + meant);
      }
    }
    if (!looked_at(element)) {
      if (ours(prop.name)) fail(prop.line, "the prop \"" + prop.name + "\" means nothing in " + where);
      return;
    }
    if (contains(kRootProps, prop.name) && !root) {
      fail(prop.line, "the prop \"" + prop.name + "\" belongs into the root zone, not into " + where);
    }
    if ((contains(kZoneProps, prop.name) || prop.name == kEgressProp) && !element.is_zone()) {
      fail(prop.line, "the prop \"" + prop.name + "\" belongs into a zone, not into " + where);
    }
    if (prop.name == "role" && element.is_zone()) {
      fail(prop.line, "the prop \"role\" belongs into a host; a zone says workers, executors, store or evaluators");
    }
    if (ours(prop.name) || simgrids(prop.name)) return;
    std::vector<std::string> known;
    for (const auto name : kZoneProps) known.emplace_back(name);
    for (const auto name : kHostProps) known.emplace_back(name);
    for (const auto name : kMachineCostProps) known.emplace_back(name);
    known.emplace_back(kEgressProp);
    known.emplace_back(kWattsProp);
    for (const auto name : kRootProps) known.emplace_back(name);
    fail(prop.line, "unknown prop \"" + prop.name + "\" in " + where + did_you_mean(prop.name, known));
  }

  void read_zone(const ScenarioElement& element) {
    ZoneOptions zone{.zone = element.id(), .line = element.line, .root = element.depth == 1};
    for (const ScenarioProp& prop : element.props) {
      if (prop.name == "run") zone.run = prop;
      if (prop.name == "coordinator") zone.coordinator = prop;
      if (prop.name == "workers") zone.workers = prop;
      if (prop.name == "executors") zone.executors = prop;
      if (prop.name == "store") zone.store = prop;
      if (prop.name == "evaluators") zone.evaluators = prop;
      if (prop.name == "preemption") zone.preemption = prop;
      if (prop.name == "preemption_time_scale") zone.preemption_time_scale = prop;
      if (prop.name == "preemption_machine_scale") zone.preemption_machine_scale = prop;
      if (prop.name == "preemption_offset") zone.preemption_offset = prop;
      if (prop.name == "preemption_end") zone.preemption_end = prop;
      if (prop.name == "reclaims") zone.reclaims = prop;
      if (prop.name == "given_back") zone.given_back = prop;
      if (prop.name == "capacity") zone.capacity = prop;
      if (prop.name == "outages") zone.outages = prop;
      if (prop.name == "notice") zone.notice = seconds(prop, "30s");
      if (prop.name == "tcp") result_.tcp = one_of(prop, "tuned", "untuned");
      if (prop.name == "ties") result_.draws_ties = one_of(prop, "drawn", "numbered") == "drawn";
      if (prop.name == "tcp_streams") result_.tcp_streams = positive_integer(prop);
      if (prop.name == "tcp_window") result_.tcp_window = bytes(prop);
    }
    result_.zones.push_back(std::move(zone));
    read_host(element, result_.zone_hosts);
  }

  void read_host(const ScenarioElement& element, std::map<std::string, HostOptions>& into) const {
    HostOptions host{.host = element.id(), .line = element.line};
    bool any = false;
    for (const ScenarioProp& prop : element.props) {
      if (!contains(kHostProps, prop.name)) continue;
      any = true;
      if (prop.name == "role") host.role = prop;
      if (prop.name == "mfu") host.mfu = share(prop);
      if (prop.name == "step_time") host.step_time = positive_seconds(prop, "50ms");
      if (host.mfu && host.step_time) {
        fail(prop.line, "mfu and step_time both say how fast \"" + host.host + "\" trains; give one of them");
      }
      if (prop.name == "mtbf") host.mtbf = positive_seconds(prop, "6h");
      if (prop.name == "mttr") host.mttr = positive_seconds(prop, "5min");
      if (prop.name == "failures") host.failures = prop;
      if (prop.name == "repair") host.repair = prop;
      if (prop.name == "start_up") host.start_up = seconds(prop, "2min");
      if (prop.name == "jitter") host.jitter = spread(prop);
      if (prop.name == "disk") host.disk = byte_rate(prop);
      if (prop.name == "intake") host.intake = byte_rate(prop);
      if (prop.name == "memory") host.memory = device_memory(prop);
    }
    if (any) into.emplace(element.id(), std::move(host));
  }

  std::string one_of(const ScenarioProp& prop, const std::string& one, const std::string& other) const {
    const std::array<std::string, 2> known{one, other};
    if (std::ranges::find(known, prop.value) != known.end()) return prop.value;
    fail(prop.line,
         prop.name + "=\"" + prop.value + "\" is neither " + one + " nor " + other + did_you_mean(prop.value, known));
  }
  /// What a name says of connections, and no number.
  void name_tcp() {
    if (result_.tcp.empty()) return;
    if (result_.tcp_streams || result_.tcp_window) {
      fail(result_.zones.front().line, "tcp=\"" + result_.tcp + "\" stands beside tcp_streams or tcp_window; take one");
    }
    if (result_.tcp == "tuned") return;
    result_.tcp_streams = kUntunedStreams;
    result_.tcp_window = kUntunedWindow;
  }

  Seconds seconds(const ScenarioProp& prop, const char* example) const {
    const auto value = parse_seconds(prop.value);
    if (!value || *value < Seconds(0)) {
      fail(prop.line, prop.name + "=\"" + prop.value + "\" is no time with a unit, such as \"" + example + "\"");
    }
    return *value;
  }
  Seconds positive_seconds(const ScenarioProp& prop, const char* example) const {
    const Seconds value = seconds(prop, example);
    if (value == Seconds(0)) fail(prop.line, prop.name + "=\"" + prop.value + "\" must be more than 0");
    return value;
  }
  DeviceMemory device_memory(const ScenarioProp& prop) const {
    const auto times = prop.value.find(" x ");
    const bool several = times != std::string::npos;
    const auto devices = several ? parse_integer(prop.value.substr(0, times)) : 1;
    const auto each = parse_bytes(several ? prop.value.substr(times + 3) : prop.value);
    if (!devices || *devices < 1 || !each || each->value == 0) {
      fail(prop.line, "memory=\"" + prop.value +
                          "\" is not the memory of a device with its unit, such as \"80GiB\", or "
                          "of several, such as \"8 x 80GiB\"");
    }
    return {.devices = *devices, .each = *each, .line = prop.line};
  }
  Bytes bytes(const ScenarioProp& prop) const {
    const auto value = parse_bytes(prop.value);
    if (!value || value->value == 0) {
      fail(prop.line, prop.name + "=\"" + prop.value + "\" is no size with a unit, such as \"16MiB\"");
    }
    return *value;
  }
  BytesPerSecond byte_rate(const ScenarioProp& prop) const {
    const auto value = parse_byte_rate(prop.value);
    if (!value) fail(prop.line, prop.name + "=\"" + prop.value + "\" is no rate with a unit, such as \"2GBps\"");
    return *value;
  }
  double spread(const ScenarioProp& prop) const {
    const auto value = parse_number(prop.value);
    if (!value || *value < 0 || *value > 1) {
      fail(prop.line, prop.name + "=\"" + prop.value + "\" is no share from 0 to 1, such as \"0.05\"");
    }
    return *value;
  }
  double positive_integer(const ScenarioProp& prop) const {
    const auto value = parse_integer(prop.value);
    if (!value || *value < 1) fail(prop.line, prop.name + "=\"" + prop.value + "\" is no whole number from 1");
    return static_cast<double>(*value);
  }
  double share(const ScenarioProp& prop) const {
    const auto value = parse_number(prop.value);
    if (!value || *value <= 0 || *value > 1) {
      fail(prop.line, prop.name + "=\"" + prop.value + "\" is no share above 0 and up to 1, such as \"0.45\"");
    }
    return *value;
  }

  const ScenarioFile& file_;
  ScenarioOptions result_;
};

const HostOptions* find(const std::map<std::string, HostOptions>& options, const std::string& name) {
  const auto found = options.find(name);
  return found == options.end() ? nullptr : &found->second;
}

}  // namespace

const ScenarioProp* ZoneOptions::taken_by() const {
  for (const auto* const prop : {&preemption, &reclaims, &capacity}) {
    if (*prop) return &**prop;
  }
  return nullptr;
}

const ZoneOptions* ScenarioOptions::zone(const std::string& name) const {
  const auto found = std::find_if(zones.begin(), zones.end(), [&](const auto& z) { return z.zone == name; });
  return found == zones.end() ? nullptr : &*found;
}

HostOptions ScenarioOptions::host(const std::string& name, const std::string& zone) const {
  HostOptions result{.host = name};
  if (const HostOptions* const own = find(hosts, name)) result = *own;
  if (const HostOptions* const zones_own = find(zone_hosts, zone)) {
    if (result.line == 0) result.line = zones_own->line;
    if (!result.mfu && !result.step_time) {
      result.mfu = zones_own->mfu;
      result.step_time = zones_own->step_time;
    }
    // A host that says in one way how it fails does not fail in the other way of its zone.
    const bool own_means = result.mtbf || result.mttr;
    const bool own_laws = result.failures || result.repair;
    if (!result.mtbf && !own_laws) result.mtbf = zones_own->mtbf;
    if (!result.mttr && !own_laws) result.mttr = zones_own->mttr;
    if (!result.failures && !own_means) result.failures = zones_own->failures;
    if (!result.repair && !own_means) result.repair = zones_own->repair;
    if (!result.start_up) result.start_up = zones_own->start_up;
    if (!result.jitter) result.jitter = zones_own->jitter;
    if (!result.disk) result.disk = zones_own->disk;
    if (!result.intake) result.intake = zones_own->intake;
    if (!result.memory) result.memory = zones_own->memory;
  }
  return result;
}

ScenarioOptions read_options(const ScenarioFile& file) { return OptionsReader(file).read(); }

}  // namespace dipaco
