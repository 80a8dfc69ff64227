#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/sim/scenario/options.hpp"
#include "backends/sim/scenario/scenario_file.hpp"
#include "backends/sim/timeline/availability.hpp"
#include "backends/sim/timeline/up_times.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/events/events.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// A host as SimGrid has read it.
struct PlatformHost {
  std::string name;
  double speed = 0;  ///< floating-point operations a second of one core
  int cores = 1;
};

/// A zone that holds hosts: a site. Hosts in the order of the file.
struct PlatformZone {
  std::string name;
  std::vector<PlatformHost> hosts;
};

/// What a node of a machine is charged beside its inner steps; 0: that takes no time.
struct MachineCharges {
  double jitter = 0;        ///< of what it takes to compute: deviation of the logarithm
  BytesPerSecond disk{};    ///< at which its disk reads, and writes
  BytesPerSecond intake{};  ///< at which each of its nodes takes in messages
  Seconds start_up{};       ///< from when its machine comes back until it begins
};

/// One role on one host.
struct PlacedNode {
  NodeId id{};
  Role role{};
  SiteId site{};
  std::string host;
  FlopsPerSecond speed;                  ///< in training: speed x cores x mfu, or what its step_time says
  std::optional<Seconds> step_time{};    ///< of an inner step, where the scenario says that
  std::optional<DeviceMemory> memory{};  ///< of what it trains on, where the scenario says that
  MachineCharges charges{};
};

/// Where in a trace a run begins, and what comes after the trace's end.
struct TraceSection {
  Seconds offset{};
  bool drawn = false;   ///< the offset is a draw over the whole trace, one share for all zones of a run
  bool repeat = false;  ///< at its end the trace begins again; else its last row holds
};

/// Machines of one site that come and go, by how many there are: a CSV, or a zone's capacity.
struct SitePreemption {
  SiteId site{};
  std::vector<AvailabilityStep> steps{};  ///< what its CSV says, as it is scaled
  Seconds notice{};
  std::vector<std::string> hosts{};  ///< machine i is there while more than i are available
  TraceSection section{};
  bool withheld = false;  ///< by the zone's capacity
};

/// Machines that go together and come back together, after drawn times.
struct DrawnAbsences {
  std::vector<std::string> hosts;
  DrawnTimes times;
  Seconds notice{};
  bool reclaimed = false;  ///< by their owner; else they failed
};

/// A machine that fails and is repaired after exponential times.
struct HostFailures {
  std::string host;
  std::uint64_t number = 0;  ///< of the host among all, for its random draws
  Seconds mtbf{};
  Seconds mttr{};
  Seconds notice{};
};

/// A machine that goes off at `from`, for good or until `until`: its site's outages say so, and tests.
struct HostOutage {
  std::string host;
  Seconds from{};
  std::optional<Seconds> until;
};

/// Who runs where.
struct Placement {
  std::filesystem::path run;       ///< the run file that the scenario names; empty: none
  std::vector<std::string> sites;  ///< by SiteId
  std::vector<PlacedNode> nodes;   ///< by NodeId: the coordinator, executors, stores, evaluators, workers
  std::vector<SitePreemption> preemptions;
  std::vector<HostFailures> failures;
  std::vector<DrawnAbsences> absences{};
  std::vector<HostOutage> outages;
  std::vector<std::string> unused_hosts;
  std::vector<std::string> unused_props{};  ///< that say nothing of it, as "washington-files.memory"
  std::vector<std::string> inferred;        ///< what the scenario does not say, one line each

  std::vector<PlacedNode> with(Role role) const;
  /// Hosts that their owner takes away and gives back.
  std::set<std::string> reclaimable() const;
  /// Whether machines may go for more than a preemption or mtbf alone: what is lost is then split by cause.
  bool has_several_causes() const;
  /// Whether any machine comes or goes.
  bool has_losses() const { return !preemptions.empty() || !failures.empty() || !absences.empty() || !outages.empty(); }
};

/// Gives nodes with a step time the speed that an inner step of so many operations then has.
void set_speeds(Placement& placement, Flops inner_step);

/// What the reports, and faults, know of the nodes.
std::vector<NodeFacts> node_facts(const Placement& placement);

/// The share of its speed that a host reaches in training where its `mfu` is not given. Choice: what is usual for
/// transformers of this size on one accelerator.
inline constexpr double kDefaultMfu = 0.4;

/// Gives roles to hosts as the scenario says, or as docs/scenarios.md says where it says nothing.
/// @throws ConfigError naming file, line and remedy: no worker anywhere, a prop that names no host, ...;
///         DataError for a preemption CSV (read_availability)
Placement place(const ScenarioFile& file, const ScenarioOptions& options, const std::vector<PlatformZone>& zones);

}  // namespace dipaco
