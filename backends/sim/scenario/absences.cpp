#include "backends/sim/scenario/absences.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

#include "backends/sim/timeline/capacity.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

class AbsenceReader {
 public:
  AbsenceReader(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones,
                Placement& placement)
      : file_(file),
        options_(options),
        zones_(zones),
        placement_(placement),
        only_work_(hosts_that_only_work(placement)) {}

  void read() {
    std::uint64_t number = 0;
    for (std::size_t site = 0; site < zones_.size(); ++site) {
      for (const PlatformHost& host : zones_[site].hosts) read_failures(host.name, zones_[site].name, ++number);
      const ZoneOptions* const said = options_.zone(zones_[site].name);
      if (said == nullptr) continue;
      read_reclaims(site, *said);
      read_capacity(site, *said);
      read_outages(site, *said);
    }
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const { throw ConfigError(file_.at(line) + ": " + what); }

  TimeLaw law(const ScenarioProp& prop) const {
    try {
      return parse_time_law(prop.value);
    } catch (const std::invalid_argument& error) {
      fail(prop.line, prop.name + "=\"" + prop.value + "\" " + error.what());
    }
  }

  /// Both laws of a pair, or none. @param of  whom they are of, as messages begin
  std::optional<std::pair<TimeLaw, TimeLaw>> laws(const std::optional<ScenarioProp>& first,
                                                  const std::optional<ScenarioProp>& second, const std::string& of,
                                                  const std::string& both) const {
    if (!first && !second) return std::nullopt;
    if (!first || !second) {
      const ScenarioProp& there = first ? *first : *second;
      fail(there.line, of + " has " + there.name + " alone; " + both);
    }
    return std::pair(law(*first), law(*second));
  }

  void read_failures(const std::string& host, const std::string& zone, std::uint64_t number) {
    const HostOptions said = options_.host(host, zone);
    const std::string of = "host \"" + host + "\"";
    const auto times = laws(said.failures, said.repair, of,
                            "write failures and repair, the times until it fails and until it is there again");
    if (!times) return;
    if (said.mtbf || said.mttr) {
      fail(said.failures->line, of + " has failures beside " + (said.mtbf ? "mtbf" : "mttr") +
                                    ", which both say when it fails; take failures and repair, or mtbf and mttr");
    }
    const auto own = options_.hosts.find(host);
    const bool says_so = own != options_.hosts.end() && own->second.failures;
    if (!only_work_.contains(host) && !says_so) return;
    placement_.absences.push_back({.hosts = {host},
                                   .times = {times->first, times->second, Draw::host_failure, number},
                                   .notice = {},
                                   .reclaimed = false});
  }

  /// The zone's hosts that its owner may take.
  std::vector<std::string> takeable(std::size_t site, const ScenarioProp& prop) const {
    std::vector<std::string> hosts;
    for (const PlatformHost& host : zones_[site].hosts) {
      if (only_work_.contains(host.name)) hosts.push_back(host.name);
    }
    if (hosts.empty()) {
      fail(prop.line, "zone \"" + zones_[site].name + "\" has " + prop.name +
                          ", but no host that only works: it takes no store, executor or coordinator");
    }
    return hosts;
  }

  void read_reclaims(std::size_t site, const ZoneOptions& said) {
    const auto times = laws(said.reclaims, said.given_back, "zone \"" + said.zone + "\"",
                            "write reclaims and given_back, the times until its machines go and until they are back");
    if (!times) return;
    placement_.absences.push_back({.hosts = takeable(site, *said.reclaims),
                                   .times = {times->first, times->second, Draw::zone_reclaim, site},
                                   .notice = said.notice,
                                   .reclaimed = true});
  }

  void read_capacity(std::size_t site, const ZoneOptions& said) {
    if (!said.capacity) return;
    SitePreemption capacity{.site = SiteId{static_cast<std::int32_t>(site)},
                            .notice = said.notice,
                            .hosts = takeable(site, *said.capacity),
                            .withheld = true};
    try {
      capacity.steps = parse_capacity(said.capacity->value, static_cast<std::int64_t>(capacity.hosts.size()));
    } catch (const std::invalid_argument& error) {
      fail(said.capacity->line, "capacity=\"" + said.capacity->value + "\" " + error.what());
    }
    placement_.preemptions.push_back(std::move(capacity));
  }

  /// All of the zone's machines, whatever their roles.
  void read_outages(std::size_t site, const ZoneOptions& said) {
    if (!said.outages) return;
    std::vector<TimeStretch> stretches;
    try {
      stretches = parse_stretches(said.outages->value);
    } catch (const std::invalid_argument& error) {
      fail(said.outages->line, "outages=\"" + said.outages->value + "\" " + error.what());
    }
    for (const TimeStretch& stretch : stretches) {
      for (const PlatformHost& host : zones_[site].hosts) {
        placement_.outages.push_back({.host = host.name, .from = stretch.from, .until = stretch.to});
      }
    }
  }

  const ScenarioFile& file_;
  const ScenarioOptions& options_;
  const std::vector<PlatformZone>& zones_;
  Placement& placement_;
  std::set<std::string> only_work_;
};

}  // namespace

std::set<std::string> hosts_that_only_work(const Placement& placement) {
  std::set<std::string> working;
  std::set<std::string> others;
  for (const PlacedNode& node : placement.nodes) {
    const bool works = node.role == Role::worker || node.role == Role::evaluator;
    (works ? working : others).insert(node.host);
  }
  for (const std::string& host : others) working.erase(host);
  return working;
}

void place_absences(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones,
                    Placement& placement) {
  AbsenceReader(file, options, zones, placement).read();
}

}  // namespace dipaco
