#include "backends/sim/simulation.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <simgrid/s4u.hpp>
#include <simgrid/simix.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/engine/clock.hpp"
#include "backends/sim/engine/hosts_by_name.hpp"
#include "backends/sim/engine/known_lines.hpp"
#include "backends/sim/engine/links.hpp"
#include "backends/sim/engine/varying_links.hpp"
#include "backends/sim/intake.hpp"
#include "backends/sim/lives.hpp"
#include "backends/sim/machines/host_times.hpp"
#include "backends/sim/machines/machines.hpp"
#include "backends/sim/network/network.hpp"
#include "backends/sim/node_faults.hpp"
#include "backends/sim/run_end.hpp"
#include "backends/sim/thread_pool.hpp"
#include "backends/sim/timed_faults.hpp"
#include "backends/sim/under_way.hpp"
#include "core/base/ended_early.hpp"
#include "core/base/error.hpp"
#include "core/faults/board.hpp"
#include "core/faults/seams.hpp"
#include "core/roles/checked_transport.hpp"
#include "core/state/archive.hpp"
#include "core/transport/metered.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

std::vector<sg::Host*> hosts_of(const Placement& placement) {
  const HostsByName all(*sg::Engine::get_instance());
  std::vector<sg::Host*> hosts;
  for (const PlacedNode& node : placement.nodes) hosts.push_back(all.at(node.host));
  return hosts;
}

LineOptions lines_of(const Placement& placement, const SimulationOptions& options) {
  LineOptions lines{.sites = {}, .rounds = options.plan == nullptr || options.plan->policy.rounds};
  if (!options.line_turns) return lines;
  for (const PlacedNode& node : placement.nodes) lines.sites.push_back(node.site);
  return lines;
}

/// What each node runs, and who they all are.
struct Program {
  const NodeProgram& run;
  const RunPlan* plan = nullptr;  ///< null: messages of any run are taken
  Archive& archive;
  std::span<const NodeFacts> nodes;
};

/// Nodes, machines and network of one run.
class Simulation {
 public:
  Simulation(const Placement& placement, const Program& program, const SimulationOptions& options, EventLog& log)
      : program_(program),
        log_(log),
        pool_(options.threads > 0 ? std::make_unique<ThreadPool>(options.threads) : nullptr),
        alarms_(options.limit),
        network_(hosts_of(placement), lines_of(placement, options), {.limit = options.limit, .retry = options.period},
                 alarms_, links_),
        end_({.stop = options.stop,
              .patience = options.limit + options.deadline,
              .coordinator = sg::Host::by_name(placement.nodes.front().host)},
             alarms_, [this] { end_all(); }),
        lives_(placement, {network_, end_, alarms_, log, pool_.get(), options.seed},
               [this](NodeLife& life, const auto& compute) { live(life, compute); }),
        machines_(placement, options.seed, alarms_,
                  [this](const std::string& host, Seconds gone_at) { lives_.give_notice(host, gone_at); }),
        faults_(lives_, network_, alarms_, end_, options.limit),
        board_(options.faults, program.nodes) {
    vary_over_time(options.link_rates, options.seed, alarms_);
    turn_links_off(options.link_outages, alarms_);
  }

  SimulationReport run(const FaultPlan& plan, std::span<const NodeFacts> nodes, HostWatch& watch) {
    sg::Host::on_state_change_cb([this, &watch](const sg::Host& host) {
      watch.changed(host);
      lives_.host_changed(host);
    });
    end_.watch_for_stop();
    machines_.start();
    strike_at_times(plan, nodes, board_, faults_, alarms_, [this](NodeId id) { return network_.up(id); });
    end_.coordinator_is_gone();
    lives_.begin_all();
    sg::Engine::get_instance()->run();
    report_.ended = clock_now();
    report_.links = links_.facts();
    report_.host_times = watch.until(report_.ended);
    report_.departures = machines_.departures();
    report_.model = lives_.model();
    report_.stopped = end_.stopped();
    report_.never_struck = board_.pending();
    try {
      end_.check(network_.up(kCoordinator));
    } catch (const RunError& why) {
      const RunError told(why.exit_status(), why.what() + report_.under_way);
      report_.links_off = told_of_links_off();
      throw EndedEarly<SimulationReport>(told, std::move(report_));
    }
    return std::move(report_);
  }

 private:
  void end_all() {
    alarms_.cancel_all();
    network_.stop();
    lives_.kill_all();
  }

  void run_program(NodeLife& life, SimCompute& compute) {
    const auto inbox = network_.connect(life.node.id);
    std::optional<IntakeTransport> slowed;
    if (const BytesPerSecond rate = life.node.charges.intake; rate.value > 0) {
      slowed.emplace(*inbox, rate, [this, id = life.node.id] { network_.hold(id); });
    }
    Transport& lowest = slowed ? static_cast<Transport&>(*slowed) : *inbox;
    std::optional<CheckedTransport> checked;
    if (program_.plan != nullptr) checked.emplace(lowest, *program_.plan, compute, log_);
    MeteredTransport transport(checked ? static_cast<Transport&>(*checked) : lowest, compute, log_, report_.traffic,
                               [this](NodeId id) { return lives_.of(id).node.site; });
    if (!board_.concerns(life.node.id))
      return program_.run(life.node, Seams{transport, compute, life.storage, log_, program_.archive});
    FaultySeams faulty(life.node.role, board_, faults_, transport, compute, life.storage);
    program_.run(life.node, Seams{faulty.transport(), faulty.compute(), faulty.storage(), log_, program_.archive});
  }

  /// The body of a node's actor.
  void live(NodeLife& life, const std::shared_ptr<SimCompute>& compute) {
    if (end_.over() || life.compute != compute) return;  // killed before it began: SimGrid begins it all the same
    const bool coordinates = life.node.id == kCoordinator;
    bool failed = false;
    bool gave_up = false;
    try {
      run_program(life, *compute);
    } catch (const WorkInterrupted&) {
      end_.stopped_early();
      failed = true;
    } catch (const std::exception& error) {
      const bool run_error = dynamic_cast<const RunError*>(&error) != nullptr;
      gave_up = !coordinates && run_error;
      failed = !gave_up;
      if (coordinates && run_error) report_.under_way = what_is_under_way(network_, program_.nodes);
      if (failed) end_.fail(std::current_exception());
    }
    // Behind the handlers: no other actor may run while this one handles an exception.
    if (life.compute == compute) life.actor = nullptr;
    if (coordinates || failed) return end_.finish();
    if (!gave_up) return;
    simgrid::kernel::actor::simcall_answered([&] {
      if (!end_.over() && life.compute == compute) lives_.go_down(life);
    });
  }

  Program program_;
  EventLog& log_;
  std::unique_ptr<ThreadPool> pool_;
  Alarms alarms_;
  LinkUse links_;
  SimNetwork network_;
  SimRunEnd end_;
  Lives lives_;
  Machines machines_;
  NodeFaults faults_;
  FaultBoard board_;
  SimulationReport report_;
};

}  // namespace

SimulationReport simulate(const Placement& placement, const NodeProgram& program, const SimulationOptions& options,
                          EventLog& log) {
  const std::vector<NodeFacts> nodes = node_facts(placement);
  NoArchive none;
  Archive& archive = options.archive != nullptr ? *options.archive : none;
  HostWatch watch(placement);
  return Simulation(placement, {program, options.plan, archive, nodes}, options, log).run(options.faults, nodes, watch);
}

CoordinatorOptions expected_members(const Placement& placement, const RunConfig& config) {
  const HostsByName hosts(*sg::Engine::get_instance());
  const auto count = [&](Role role) { return static_cast<std::int32_t>(placement.with(role).size()); };
  const auto works = [&](const PlacedNode& node) { return node.role == Role::worker && hosts.at(node.host)->is_on(); };
  return {.executors = count(Role::executor),
          .stores = count(Role::store),
          .workers = static_cast<std::int32_t>(std::ranges::count_if(placement.nodes, works)),
          .evaluators = count(Role::evaluator),
          .lines = config.run.known_lines ? lines_of_platform(placement) : nullptr,
          .progress = nullptr};
}

}  // namespace dipaco
