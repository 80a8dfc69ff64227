#include "backends/sim/scenario/departures.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

class DepartureReader {
 public:
  DepartureReader(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones,
                  Placement& placement)
      : file_(file), options_(options), zones_(zones), placement_(placement) {
    for (const PlacedNode& node : placement.nodes) {
      const bool works = node.role == Role::worker || node.role == Role::evaluator;
      const auto [host, first] = only_works_.try_emplace(node.host, works);
      host->second = host->second && works;
    }
  }

  void read() {
    std::uint64_t number = 0;
    for (std::size_t site = 0; site < zones_.size(); ++site) {
      const ZoneOptions* const said = options_.zone(zones_[site].name);
      const Seconds notice = said != nullptr ? said->notice : Seconds(0);
      bool leaves = false;
      if (said != nullptr && said->preemption) {
        leaves = true;
        read_preemption(SiteId{static_cast<std::int32_t>(site)}, *said);
      }
      for (const PlatformHost& host : zones_[site].hosts) {
        ++number;
        const HostOptions own = options_.host(host.name, zones_[site].name);
        if (!own.mtbf && !own.mttr) continue;
        leaves |= read_host_failures(own, site, {.host = host.name, .number = number, .notice = notice});
      }
      if (notice > Seconds(0) && !leaves) {
        fail(said->line, "zone \"" + said->zone +
                             "\" has a notice, but nothing takes its machines away: add the prop "
                             "preemption (a CSV file), or mtbf and mttr to its hosts");
      }
    }
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const { throw ConfigError(file_.at(line) + ": " + what); }

  bool only_works(const std::string& host) const {
    const auto found = only_works_.find(host);
    return found != only_works_.end() && found->second;
  }

  void read_preemption(SiteId site, const ZoneOptions& said) {
    const PlatformZone& zone = zones_[static_cast<std::size_t>(index(site))];
    const std::filesystem::path csv = file_.path().parent_path() / said.preemption->value;
    std::error_code error;
    if (!std::filesystem::is_regular_file(csv, error)) {
      fail(said.preemption->line, "preemption=\"" + said.preemption->value + "\" names no file: " + csv.string() +
                                      " is not there; the name is relative to the scenario");
    }
    SitePreemption preemption{.site = site, .steps = read_availability(csv), .notice = said.notice};
    for (const PlatformHost& host : zone.hosts) {
      if (only_works(host.name)) preemption.hosts.push_back(host.name);
    }
    if (preemption.hosts.empty()) {
      fail(said.preemption->line, "zone \"" + zone.name +
                                      "\" has a preemption, but no host that only works: it takes no "
                                      "store, executor or coordinator");
    }
    placement_.preemptions.push_back(std::move(preemption));
  }

  bool read_host_failures(const HostOptions& own, std::size_t site, HostFailures failures) {
    if (!own.mtbf || !own.mttr) {
      fail(own.line, "host \"" + failures.host + "\" has " + (own.mtbf ? "mtbf without mttr" : "mttr without mtbf") +
                         ": both are needed, the mean times between failures and to repair");
    }
    const bool only_works = this->only_works(failures.host);
    // A zone's mtbf holds for those of its hosts that only work, a host's own for whatever it does.
    const auto said = options_.hosts.find(failures.host);
    const bool says_so = said != options_.hosts.end() && said->second.mtbf;
    if (!only_works && !says_so) return false;
    const ZoneOptions* const zone = options_.zone(placement_.sites[site]);
    if (only_works && zone != nullptr && zone->preemption) {
      fail(own.line, "host \"" + failures.host + "\" has mtbf in a zone with a preemption; take one of both");
    }
    failures.mtbf = *own.mtbf;
    failures.mttr = *own.mttr;
    placement_.failures.push_back(std::move(failures));
    return true;
  }

  const ScenarioFile& file_;
  const ScenarioOptions& options_;
  const std::vector<PlatformZone>& zones_;
  Placement& placement_;
  std::map<std::string, bool> only_works_;  ///< by host with a role
};

}  // namespace

void place_departures(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones,
                      Placement& placement) {
  DepartureReader(file, options, zones, placement).read();
}

}  // namespace dipaco
