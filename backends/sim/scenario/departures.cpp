#include "backends/sim/scenario/departures.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "backends/sim/scenario/absences.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace dipaco {
namespace {

constexpr double kLeastFactor = 1e-6;

class DepartureReader {
 public:
  DepartureReader(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones,
                  Placement& placement)
      : file_(file),
        options_(options),
        zones_(zones),
        placement_(placement),
        only_work_(hosts_that_only_work(placement)) {}

  void read() {
    std::uint64_t number = 0;
    for (std::size_t site = 0; site < zones_.size(); ++site) {
      const ZoneOptions* const said = options_.zone(zones_[site].name);
      const Seconds notice = said != nullptr ? said->notice : Seconds(0);
      bool leaves = said != nullptr && said->taken_by() != nullptr;
      if (leaves) note_who_stays(zones_[site], *said->taken_by());
      if (said != nullptr) check_has_trace(*said);
      if (said != nullptr && said->preemption) read_preemption(SiteId{static_cast<std::int32_t>(site)}, *said);
      for (const PlatformHost& host : zones_[site].hosts) {
        ++number;
        const HostOptions own = options_.host(host.name, zones_[site].name);
        if (!own.mtbf && !own.mttr) continue;
        leaves |= read_host_failures(own, site, {.host = host.name, .number = number, .notice = notice});
      }
      check_fails_somewhere(zones_[site]);
      if (notice > Seconds(0) && !leaves) {
        fail(said->line, "zone \"" + said->zone +
                             "\" has a notice, but nothing takes its machines away: add the prop "
                             "preemption (a CSV file), or mtbf and mttr to its hosts");
      }
    }
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const { throw ConfigError(file_.at(line) + ": " + what); }

  bool only_works(const std::string& host) const { return only_work_.contains(host); }

  /// A machine with another role stays, whatever the trace says of as many machines.
  void note_who_stays(const PlatformZone& zone, const ScenarioProp& taken) {
    std::vector<std::string> stays;
    std::set<std::string> workers;
    for (const PlacedNode& node : placement_.with(Role::worker)) workers.insert(node.host);
    for (const PlatformHost& host : zone.hosts) {
      if (workers.contains(host.name) && !only_works(host.name)) stays.push_back(host.name);
    }
    if (stays.empty()) return;
    const bool one = stays.size() == 1;
    const std::string who = one ? " stays" : " and " + std::to_string(stays.size() - 1) + " more stay";
    placement_.inferred.push_back("\"" + stays.front() + "\"" + who + ", though zone \"" + zone.name + "\" has " +
                                  taken.name + (one ? ": it does" : ": they do") + " more than work");
  }

  /// A zone's failures are those of its hosts that only work: without such a host they would say nothing.
  void check_fails_somewhere(const PlatformZone& zone) const {
    const auto said = options_.zone_hosts.find(zone.name);
    if (said == options_.zone_hosts.end() || !(said->second.mtbf || said->second.failures)) return;
    if (std::ranges::any_of(zone.hosts, [&](const PlatformHost& host) { return only_works(host.name); })) return;
    fail(said->second.line, "zone \"" + zone.name + "\" has " + (said->second.mtbf ? "mtbf" : "failures") +
                                ", but no host that only works: give it to the hosts that are to fail");
  }

  /// With more machines in the trace than in the zone, the zone's go late or never.
  void note_too_many(const SitePreemption& preemption, const ScenarioProp& said) {
    const auto there = static_cast<std::int64_t>(preemption.hosts.size());
    const TraceSection& section = preemption.section;
    const auto steps = section.drawn ? preemption.steps : begun_at(preemption.steps, section.offset, section.repeat);
    const std::int64_t most = std::ranges::max(steps, {}, &AvailabilityStep::machines).machines;
    if (most <= there) return;
    placement_.inferred.push_back(said.name + "=\"" + said.value + "\" has up to " + std::to_string(most) +
                                  " machines, but only " + std::to_string(there) +
                                  " of its zone can go: none goes while as many are available; set "
                                  "preemption_machine_scale");
  }

  /// What is said about a trace, without one, would be read and ignored.
  void check_has_trace(const ZoneOptions& said) const {
    if (said.preemption) return;
    for (const auto* const prop :
         {&said.preemption_time_scale, &said.preemption_machine_scale, &said.preemption_offset, &said.preemption_end}) {
      if (*prop) {
        fail((*prop)->line, "zone \"" + said.zone + "\" has " + (*prop)->name +
                                " without a preemption; add the prop preemption, which names a CSV file");
      }
    }
  }

  double factor(const std::optional<ScenarioProp>& prop) const {
    if (!prop) return 1;
    const auto value = parse_number(prop->value);
    if (value && *value >= kLeastFactor && *value <= 1 / kLeastFactor) return *value;
    fail(prop->line, prop->name + "=\"" + prop->value + "\" is no factor from 0.000001 to 1000000, such as \"0.1\"");
  }

  /// @param length  of the trace, in its own time
  TraceSection section(const ZoneOptions& said, Seconds length) const {
    TraceSection section;
    if (const auto& end = said.preemption_end) {
      const std::array<std::string, 2> known{"hold", "repeat"};
      if (std::ranges::find(known, end->value) == known.end()) {
        fail(end->line,
             "preemption_end=\"" + end->value + "\" is neither hold nor repeat" + did_you_mean(end->value, known));
      }
      section.repeat = end->value == "repeat";
      if (section.repeat && length == Seconds(0)) fail_of_one_row(*end, "cannot repeat");
    }
    const auto& offset = said.preemption_offset;
    if (!offset) return section;
    if (length == Seconds(0)) fail_of_one_row(*offset, "has no later time");
    section.drawn = offset->value == "drawn";
    if (section.drawn) return section;
    const auto time = parse_seconds(offset->value);
    if (!time || *time < Seconds(0)) {
      fail(offset->line,
           "preemption_offset=\"" + offset->value + "\" is no time with a unit, such as \"12h\", and not \"drawn\"");
    }
    if (*time >= length) {
      fail(offset->line, "preemption_offset=\"" + offset->value + "\" is not before the last row of the trace, at " +
                             format_number(length.count()) + " s; write a time before it");
    }
    section.offset = *time;
    return section;
  }

  [[noreturn]] void fail_of_one_row(const ScenarioProp& prop, const std::string& what) const {
    fail(prop.line, prop.name + "=\"" + prop.value + "\": a trace of one row " + what +
                        "; take away the prop, or add the row at which the trace ends");
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
    preemption.section = section(said, preemption.steps.back().time);
    const double time_scale = factor(said.preemption_time_scale);
    preemption.section.offset *= time_scale;
    preemption.steps = scaled(std::move(preemption.steps), time_scale, factor(said.preemption_machine_scale));
    for (const PlatformHost& host : zone.hosts) {
      if (only_works(host.name)) preemption.hosts.push_back(host.name);
    }
    if (preemption.hosts.empty()) {
      fail(said.preemption->line, "zone \"" + zone.name +
                                      "\" has a preemption, but no host that only works: it takes no "
                                      "store, executor or coordinator");
    }
    note_too_many(preemption, *said.preemption);
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
  std::set<std::string> only_work_;
};

}  // namespace

void place_departures(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones,
                      Placement& placement) {
  DepartureReader(file, options, zones, placement).read();
  place_absences(file, options, zones, placement);
}

}  // namespace dipaco
