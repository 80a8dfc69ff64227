#include "backends/sim/engine/engine.hpp"

#include <algorithm>
#include <set>
#include <simgrid/s4u.hpp>
#include <tuple>
#include <xbt/config.hpp>
// Needs what the others define.
#include <simgrid/version.h>

#include "backends/sim/engine/hosts_by_name.hpp"
#include "backends/sim/engine/links.hpp"
#include "backends/sim/platform/platform_check.hpp"
#include "backends/sim/scenario/routes.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

// Choice: what a scenario gets that does not set its own (docs/scenarios.md, "The network model", says why).
constexpr const char* kModel = "CM02";
constexpr double kStreams = 4;                  // as `dipaco-run --streams`
constexpr double kWindow = 16.0 * 1024 * 1024;  // bytes: a tuned sender and receiver
constexpr const char* kStackSize = "256";       // KiB an actor: real work is done on the pool's stacks

struct Setting {
  std::string key;
  std::string value;
};

bool given(const ScenarioFile& file, const std::vector<std::string>& cfg, const std::string& key) {
  const auto starts = [&](const std::string& text) { return text.starts_with(key + ":"); };
  return !file.config(key).empty() || std::any_of(cfg.begin(), cfg.end(), starts);
}

std::string gamma_source(const ScenarioOptions& options) {
  return (options.tcp.empty() ? "" : options.tcp + ": ") + format_number(options.tcp_streams.value_or(kStreams)) +
         " streams x " + format_number(options.tcp_window ? static_cast<double>(options.tcp_window->value) : kWindow) +
         " B window";
}

/// What we set before SimGrid reads the file, which wins over its <config>: only what neither sets.
std::vector<Setting> defaults(const ScenarioFile& file, const ScenarioOptions& options,
                              const std::vector<std::string>& cfg) {
  std::vector<Setting> result;
  const auto add = [&](const std::string& key, const std::string& value) {
    if (!given(file, cfg, key)) result.push_back({key, value});
  };
  const bool own_tcp = !options.tcp.empty() || options.tcp_streams || options.tcp_window;
  if (own_tcp && given(file, cfg, "network/TCP-gamma")) {
    throw ConfigError(file.path().string() +
                      ": network/TCP-gamma is set beside tcp, tcp_streams or tcp_window, which set it "
                      "too; take one of both");
  }
  const double gamma = options.tcp_streams.value_or(kStreams) *
                       (options.tcp_window ? static_cast<double>(options.tcp_window->value) : kWindow);
  // Whoever chooses a model means its factors, too.
  if (!given(file, cfg, "network/model")) {
    add("network/model", kModel);
    add("network/crosstraffic", "0");
    add("network/TCP-gamma", format_fixed(gamma, 0));
  } else if (own_tcp) {
    add("network/TCP-gamma", format_fixed(gamma, 0));
  }
#ifdef DIPACO_ADDRESS_SANITIZER
  // AddressSanitizer does not follow the unwinding of a killed actor on a stack that is not a thread's.
  add("contexts/factory", "thread");
  add("contexts/stack-size", "1024");
#endif
  add("contexts/stack-size", kStackSize);
  return result;
}

std::unique_ptr<sg::Engine> make_engine(const std::vector<std::string>& cfg, const std::vector<Setting>& defaults) {
  std::vector<std::string> words{"dipaco-sim", "--log=root.thres:critical"};
  for (const Setting& setting : defaults) words.push_back("--cfg=" + setting.key + ":" + setting.value);
  for (const std::string& word : cfg) words.push_back("--cfg=" + word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return std::make_unique<sg::Engine>(&count, arguments.data());
}

/// A name as it is ordered: its digits compare as numbers, so that node-2 comes before node-10.
std::vector<std::tuple<bool, std::size_t, std::string>> natural_key(const std::string& name) {
  std::vector<std::tuple<bool, std::size_t, std::string>> parts;
  for (std::size_t i = 0; i < name.size();) {
    const bool digit = std::isdigit(static_cast<unsigned char>(name[i])) != 0;
    std::size_t end = i;
    while (end < name.size() && (std::isdigit(static_cast<unsigned char>(name[end])) != 0) == digit) ++end;
    parts.emplace_back(digit, digit ? end - i : 0, name.substr(i, end - i));
    i = end;
  }
  return parts;
}

void collect(const sg::NetZone& zone, const ScenarioFile& file, std::vector<PlatformZone>& into) {
  PlatformZone site{.name = zone.get_name(), .hosts = {}};
  std::vector<std::tuple<int, decltype(natural_key("")), const sg::Host*>> in_order;
  for (const sg::Host* const host : zone.get_all_hosts()) {
    const std::string& name = host->get_name();
    in_order.emplace_back(file.line_of_host(name, site.name), natural_key(name), host);
  }
  std::sort(in_order.begin(), in_order.end());
  for (const auto& [line, key, host] : in_order) {
    site.hosts.push_back({.name = host->get_name(), .speed = host->get_speed(), .cores = host->get_core_count()});
  }
  if (!site.hosts.empty()) into.push_back(std::move(site));
  for (const sg::NetZone* const child : zone.get_children()) collect(*child, file, into);
}

}  // namespace

SimEngine::SimEngine(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<std::string>& cfg) {
  check_platform(file, cfg);
  const auto settings = defaults(file, options, cfg);
  const auto is_gamma = [](const Setting& setting) { return setting.key == "network/TCP-gamma"; };
  if (std::any_of(settings.begin(), settings.end(), is_gamma)) tcp_ = " (" + gamma_source(options) + ")";
  engine_ = make_engine(cfg, settings);
  engine_->load_platform(file.path().string());
  engine_->seal_platform();
}

SimEngine::~SimEngine() = default;

void SimEngine::change_links(const ScenarioFile& file, const std::vector<ScenarioChange>& changes) const {
  for (const ScenarioChange& change : changes) {
    if (change.of != ScenarioChange::Of::link) continue;
    bool found = false;
    std::vector<std::string> known;
    for (sg::Link* const link : engine_->get_all_links()) {
      const std::string& name = link->get_name();
      known.push_back(name);
      if (!names_link(change.name, name)) continue;
      found = true;
      if (change.what == "bandwidth") link->set_bandwidth(parse_byte_rate(change.value).value().value);
      if (change.what == "latency") link->set_latency(parse_seconds(change.value).value().count());
    }
    if (found) continue;
    throw ConfigError("--set " + change.text + ": " + file.path().string() + " has no link \"" + change.name + "\"" +
                      did_you_mean(change.name, known));
  }
}

std::vector<std::string> SimEngine::widen_links(const ScenarioFile& file, const std::vector<std::string>& names) const {
  double all = 0;
  std::vector<std::string> known;
  for (const sg::Link* const link : engine_->get_all_links()) {
    all += link->get_bandwidth();
    known.push_back(link->get_name());
  }
  std::vector<std::string> widened;
  for (const std::string& name : names) {
    const std::size_t before = widened.size();
    for (sg::Link* const link : engine_->get_all_links()) {
      if (!names_link(name, link->get_name())) continue;
      link->set_bandwidth(all);
      widened.push_back(link->get_name());
    }
    if (widened.size() > before) continue;
    throw ConfigError("--without link:" + name + ": " + file.path().string() + " has no link \"" + name + "\"" +
                      did_you_mean(name, known));
  }
  return widened;
}

std::vector<PlatformZone> SimEngine::zones(const ScenarioFile& file) const {
  std::vector<PlatformZone> result;
  collect(*engine_->get_netzone_root(), file, result);
  return result;
}

void SimEngine::check_routes(const ScenarioFile& file, const Placement& placement) const {
  const HostsByName hosts(*engine_);
  for (const auto& [from, to] : pairs_to_check(file, placement)) {
    const sg::Host* const host = hosts.at(from);
    try {
      route_between(*host, *hosts.at(to));
    } catch (const ConfigError& error) {
      throw ConfigError(file.at(file.line_of_host(from, host->get_englobing_zone()->get_name())) + ": " + error.what());
    }
  }
}

std::vector<std::string> SimEngine::unused_links(const ScenarioFile& file, const Placement& placement) const {
  const HostsByName hosts(*engine_);
  std::set<std::string> unused;
  for (const sg::Link* const link : engine_->get_all_links()) {
    if (!is_loopback(*link)) unused.insert(link->get_name());
  }
  for (const auto& [from, to] : pairs_to_check(file, placement)) {
    if (unused.empty()) break;
    for (const sg::Link* const link : route_between(*hosts.at(from), *hosts.at(to))) {
      unused.erase(link->get_name());
    }
  }
  return {unused.begin(), unused.end()};
}

std::string SimEngine::network_model() const {
  namespace config = simgrid::config;
  const auto number = [](const char* key) { return format_number(config::get_value<double>(key)); };
  return config::get_value<std::string>("network/model") + ", latency x " + number("network/latency-factor") +
         ", bandwidth x " + number("network/bandwidth-factor") + ", crosstraffic " +
         (config::get_value<bool>("network/crosstraffic") ? "on" : "off") + ", TCP-gamma " +
         number("network/TCP-gamma") + " B" + tcp_;
}

std::string simgrid_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return std::to_string(major) + "." + std::to_string(minor) + (patch > 0 ? "." + std::to_string(patch) : "");
}

}  // namespace dipaco
