#include "backends/sim/scenario/placement.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "backends/sim/scenario/departures.hpp"
#include "backends/sim/scenario/host_list.hpp"
#include "backends/sim/scenario/hostless_zones.hpp"
#include "backends/sim/scenario/unused_props.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr std::array<Role, 5> kOrder{Role::coordinator, Role::executor, Role::store, Role::evaluator, Role::worker};

/// Of a site whose workers keep their states at other sites.
constexpr const char* kNoStore = "none";

class Placer {
 public:
  Placer(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones)
      : file_(file), options_(options), zones_(zones) {}

  Placement place() {
    if (zones_.empty()) throw ConfigError(file_.path().string() + ": the platform has no host");
    for (const PlatformZone& zone : zones_) {
      result_.sites.push_back(zone.name);
      const ZoneOptions* const said = options_.zone(zone.name);
      if (said != nullptr && options_.ours) read_zone(zone, *said);
    }
    check_hostless_zones(file_, options_, zones_);
    for (const auto& [name, host] : options_.hosts) read_roles(host);
    read_root();
    if (!options_.ours) infer_all();
    if (hosts_of(Role::worker).empty()) {
      throw ConfigError(file_.path().string() +
                        ": no worker anywhere: give a zone the prop workers (all, a number, "
                        "host names or a range), or a host role=\"worker\"");
    }
    infer_missing();
    number_nodes();
    place_departures(file_, options_, zones_, result_);
    note_defaults();
    result_.unused_props = unused_props(file_, options_, zones_, result_);
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const { throw ConfigError(file_.at(line) + ": " + what); }

  static std::vector<std::string> names(const PlatformZone& zone) {
    std::vector<std::string> result;
    for (const PlatformHost& host : zone.hosts) result.push_back(host.name);
    return result;
  }

  void read_zone(const PlatformZone& zone, const ZoneOptions& said) {
    const auto give = [&](const std::optional<ScenarioProp>& prop, Role role) {
      if (!prop || (role == Role::store && prop->value == kNoStore)) return;
      for (const std::string& host : list(*prop, zone)) roles_[host].insert(role);
    };
    give(said.workers, Role::worker);
    give(said.executors, Role::executor);
    give(said.store, Role::store);
    give(said.evaluators, Role::evaluator);
  }

  std::vector<std::string> list(const ScenarioProp& prop, const PlatformZone& zone) const {
    try {
      return read_host_list(prop.value, names(zone));
    } catch (const std::invalid_argument& error) {
      fail(prop.line, prop.name + "=\"" + prop.value + "\" in zone \"" + zone.name + "\" " + error.what());
    }
  }

  void read_roles(const HostOptions& host) {
    if (!host.role) return;
    static const std::array<std::pair<const char*, Role>, 5> kRoles{{{"coordinator", Role::coordinator},
                                                                     {"worker", Role::worker},
                                                                     {"executor", Role::executor},
                                                                     {"store", Role::store},
                                                                     {"evaluator", Role::evaluator}}};
    for (const std::string& word : split(host.role->value, ',')) {
      const auto* const role =
          std::find_if(kRoles.begin(), kRoles.end(), [&](const auto& r) { return word == r.first; });
      if (role == kRoles.end()) {
        std::vector<std::string> known;
        for (const auto& [known_role, unused] : kRoles) known.emplace_back(known_role);
        fail(host.role->line, "unknown role \"" + word + "\"" + did_you_mean(word, known) +
                                  "; a role is coordinator, worker, executor, store or evaluator");
      }
      roles_[host.host].insert(role->second);
    }
  }

  void read_root() {
    for (const ZoneOptions& zone : options_.zones) {
      if (zone.run) result_.run = file_.path().parent_path() / zone.run->value;
      if (!zone.coordinator) continue;
      std::vector<std::string> all;
      for (const PlatformZone& site : zones_) {
        const auto some = names(site);
        all.insert(all.end(), some.begin(), some.end());
      }
      const std::string& host = zone.coordinator->value;
      if (std::find(all.begin(), all.end(), host) == all.end()) {
        fail(zone.coordinator->line, "coordinator=\"" + host + "\" names no host" + did_you_mean(host, all));
      }
      roles_[host].insert(Role::coordinator);
    }
    const auto coordinators = hosts_of(Role::coordinator);
    if (coordinators.size() > 1) {
      fail(file_.line_of_host(coordinators[1], ""),
           "\"" + coordinators[0] + "\" and \"" + coordinators[1] + "\" are both the coordinator; there is one");
    }
  }

  std::vector<std::string> hosts_of(Role role) const {
    std::vector<std::string> result;
    for (const PlatformZone& zone : zones_) {
      const auto some = hosts_of(zone, role);
      result.insert(result.end(), some.begin(), some.end());
    }
    return result;
  }

  std::vector<std::string> hosts_of(const PlatformZone& zone, Role role) const {
    std::vector<std::string> result;
    for (const PlatformHost& host : zone.hosts) {
      const auto found = roles_.find(host.name);
      if (found != roles_.end() && found->second.contains(role)) result.push_back(host.name);
    }
    return result;
  }

  /// Somebody else's platform: every host works.
  void infer_all() {
    for (const PlatformZone& zone : zones_) {
      for (const PlatformHost& host : zone.hosts) roles_[host.name].insert(Role::worker);
      roles_[zone.hosts.front().name].insert({Role::store, Role::executor});
    }
    roles_[zones_.front().hosts.front().name].insert(Role::coordinator);
    result_.inferred.push_back(
        "the platform has no prop of ours: every host is a worker, each site's first host is also "
        "its store and an executor, \"" +
        zones_.front().hosts.front().name + "\" also coordinates");
  }

  /// A machine that is in no trace would stay, whatever the zone's trace says.
  void check_may_keep_states(const PlatformZone& zone, const ZoneOptions& said) const {
    const ScenarioProp* const taken = said.taken_by();
    if (taken == nullptr) return;
    const std::string has = taken->name == "preemption" ? "a preemption" : taken->name;
    const std::string when = taken->name == "preemption" ? "when the CSV has no machine" : "when the others go";
    fail(taken->line, "zone \"" + zone.name + "\" has " + has + " and names no store: its first host \"" +
                          zone.hosts.front().name + "\" would keep path states, and stay " + when +
                          "; add the prop store with a host that is to stay, or with \"none\"");
  }

  void infer_missing() {
    for (const PlatformZone& zone : zones_) {
      const ZoneOptions* const said = options_.zone(zone.name);
      if (said != nullptr && said->store) continue;
      if (hosts_of(zone, Role::worker).empty() || !hosts_of(zone, Role::store).empty()) continue;
      if (said != nullptr) check_may_keep_states(zone, *said);
      roles_[zone.hosts.front().name].insert(Role::store);
      result_.inferred.push_back("site " + zone.name + " names no store: it is \"" + zone.hosts.front().name + "\"");
    }
    if (hosts_of(Role::store).empty()) {
      throw ConfigError(file_.path().string() + ": no store anywhere: give a zone the prop store, or a host the role");
    }
    if (hosts_of(Role::executor).empty()) {
      for (const std::string& host : hosts_of(Role::store)) roles_[host].insert(Role::executor);
      result_.inferred.emplace_back("no executor is named: the stores' hosts are also executors");
    }
    if (hosts_of(Role::coordinator).empty()) {
      const std::string host = hosts_of(Role::store).front();
      roles_[host].insert(Role::coordinator);
      result_.inferred.push_back("no coordinator is named: it is \"" + host + "\"");
    }
  }

  /// Each would have all cores, also while both compute.
  void check_cores(const PlatformHost& host, const std::string& zone, const std::set<Role>& roles) const {
    if (host.cores == 1 || !roles.contains(Role::worker) || !roles.contains(Role::evaluator)) return;
    fail(file_.line_of_host(host.name, zone),
         "\"" + host.name + "\" works and evaluates on " + format_number(host.cores) +
             " cores, which the simulator cannot share out; give it core=\"1\" and the "
             "speed of all, or evaluate on another host");
  }

  void number_nodes() {
    for (const Role role : kOrder) {
      for (std::size_t site = 0; site < zones_.size(); ++site) {
        for (const PlatformHost& host : zones_[site].hosts) {
          const auto found = roles_.find(host.name);
          if (found == roles_.end() || !found->second.contains(role)) continue;
          check_cores(host, zones_[site].name, found->second);
          const HostOptions said = options_.host(host.name, zones_[site].name);
          result_.nodes.push_back({.id = NodeId{static_cast<std::int32_t>(result_.nodes.size())},
                                   .role = role,
                                   .site = SiteId{static_cast<std::int32_t>(site)},
                                   .host = host.name,
                                   .speed = {host.speed * host.cores * said.mfu.value_or(kDefaultMfu)},
                                   .step_time = said.step_time,
                                   .memory = said.memory,
                                   .charges = {.jitter = said.jitter.value_or(0),
                                               .disk = said.disk.value_or(BytesPerSecond{}),
                                               .intake = said.intake.value_or(BytesPerSecond{}),
                                               .start_up = said.start_up.value_or(Seconds(0))}});
        }
      }
    }
  }

  void note_defaults() {
    std::int64_t without = 0;
    for (const PlatformZone& zone : zones_) {
      for (const PlatformHost& host : zone.hosts) {
        if (!roles_.contains(host.name)) result_.unused_hosts.push_back(host.name);
      }
      for (const std::string& host : hosts_of(zone, Role::worker)) {
        const HostOptions said = options_.host(host, zone.name);
        if (!said.mfu && !said.step_time) ++without;
      }
    }
    if (without > 0) {
      result_.inferred.push_back("mfu of " + std::to_string(without) +
                                 " worker hosts is not given: " + format_number(kDefaultMfu));
    }
  }

  const ScenarioFile& file_;
  const ScenarioOptions& options_;
  const std::vector<PlatformZone>& zones_;
  std::map<std::string, std::set<Role>> roles_;  ///< by host
  Placement result_;
};

}  // namespace

std::vector<PlacedNode> Placement::with(Role role) const {
  std::vector<PlacedNode> result;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(result),
               [&](const PlacedNode& node) { return node.role == role; });
  return result;
}

std::set<std::string> Placement::reclaimable() const {
  std::set<std::string> result;
  for (const SitePreemption& site : preemptions) result.insert(site.hosts.begin(), site.hosts.end());
  for (const DrawnAbsences& together : absences) {
    if (together.reclaimed) result.insert(together.hosts.begin(), together.hosts.end());
  }
  return result;
}

bool Placement::has_several_causes() const {
  const int ways = (preemptions.empty() ? 0 : 1) + (failures.empty() ? 0 : 1) + (outages.empty() ? 0 : 1);
  return ways > 1 || !absences.empty() || std::ranges::any_of(preemptions, &SitePreemption::withheld);
}

void set_speeds(Placement& placement, Flops inner_step) {
  for (PlacedNode& node : placement.nodes) {
    if (node.step_time) node.speed = {inner_step.value / node.step_time->count()};
  }
}

std::vector<NodeFacts> node_facts(const Placement& placement) {
  const std::set<std::string> preemptible = placement.reclaimable();
  std::vector<NodeFacts> facts;
  for (const PlacedNode& node : placement.nodes) {
    facts.push_back({.id = node.id,
                     .role = node.role,
                     .site = node.site,
                     .host = node.host,
                     .speed = node.speed.value,
                     .preemptible = preemptible.contains(node.host)});
  }
  return facts;
}

Placement place(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones) {
  return Placer(file, options, zones).place();
}

}  // namespace dipaco
