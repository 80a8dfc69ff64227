#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/sim/engine/link_outages.hpp"
#include "backends/sim/machines/host_departure.hpp"
#include "backends/sim/machines/host_times.hpp"
#include "backends/sim/scenario/placement.hpp"
#include "backends/sim/timeline/link_rates.hpp"
#include "core/base/units.hpp"
#include "core/events/events.hpp"
#include "core/events/traffic.hpp"
#include "core/faults/fault_plan.hpp"
#include "core/report/report.hpp"
#include "core/roles/roles.hpp"

namespace dipaco {

struct SimulationOptions {
  std::uint64_t seed = 1;                   ///< of hosts' failures
  Seconds limit{10};                        ///< liveness.limit: from a loss to PeerLost
  Seconds period{3};                        ///< liveness.period: between attempts over a broken link
  Seconds deadline{7 * 86400.0};            ///< liveness.deadline: nodes wait for the coordinator so long
  bool line_turns = true;                   ///< run.line_turns: of large messages between sites
  const RunPlan* plan = nullptr;            ///< whose messages these are, and no others; null: any are
  Archive* archive = nullptr;               ///< of a simulation that can be resumed; null: nothing is kept
  FaultPlan faults{};                       ///< what goes wrong with nodes, beside their hosts
  LinkRates link_rates{};                   ///< of links whose bandwidth varies
  LinkOutages link_outages{};               ///< of links that are off for a time
  int threads = 0;                          ///< for real work; 0: there is none (nothing is learned)
  const std::atomic<bool>* stop = nullptr;  ///< ends the run early once true
};

/// What is left of a simulation beside its events.
struct SimulationReport {
  Seconds ended{};          ///< on SimGrid's clock
  std::string under_way{};  ///< when the coordinator gave up: what_is_under_way()
  std::string links_off{};  ///< the same: told_of_links_off()
  Traffic traffic;
  std::vector<LinkFacts> links;
  HostTimes host_times;                                 ///< of the hosts that nodes are on
  std::vector<HostDeparture> departures{};              ///< as Machines tells of them
  std::map<std::string, std::vector<std::byte>> model;  ///< what nodes keep under "model/", by the name behind it
  bool stopped = false;                                 ///< by `stop`
  FaultPlan never_struck{};                             ///< faults whose moment did not come
};

/// What each node does, called by an actor on its host: again, with a higher incarnation and the same storage, whenever
/// its host comes back. A call that throws RunError ends its node, as if it had gone off; that of the coordinator's
/// ends the simulation. The simulation ends when the coordinator's call returns.
using NodeProgram = std::function<void(const PlacedNode& node, Seams seams)>;

/// Runs the placed nodes on SimGrid's engine, which has loaded the platform (SimEngine); once a process.
/// Records node_up, node_down and notice events; `log` gets all events of the nodes, too.
/// @throws what a node threw first (but see above); ConfigError where the faults name a node that is not there;
///         EndedEarly<SimulationReport> where the run ends for want of progress: as the coordinator says, with status 5
///         where the coordinator is gone and does not come back while anyone would wait for it, with 4 where every node
///         waits for another
SimulationReport simulate(const Placement& placement, const NodeProgram& program, const SimulationOptions& options,
                          EventLog& log);

/// Whom the coordinator waits for before the first task, and what it knows of the lines (run.known_lines). To be asked
/// when it begins: of workers those count whose hosts are on then.
CoordinatorOptions expected_members(const Placement& placement, const RunConfig& config);

}  // namespace dipaco
