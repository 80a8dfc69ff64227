#include "backends/sim/simulation.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <simgrid/s4u.hpp>
#include <simgrid/simix.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "backends/sim/alarms.hpp"
#include "backends/sim/clock.hpp"
#include "backends/sim/hosts_by_name.hpp"
#include "backends/sim/links.hpp"
#include "backends/sim/machines.hpp"
#include "backends/sim/node_life.hpp"
#include "backends/sim/thread_pool.hpp"
#include "backends/sim/timed_faults.hpp"
#include "backends/sim/transport.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/faults/board.hpp"
#include "core/faults/seams.hpp"
#include "core/transport/metered.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;
using simgrid::kernel::actor::simcall_answered;

namespace {

std::vector<sg::Host*> hosts_of(const Placement& placement) {
  const HostsByName all(*sg::Engine::get_instance());
  std::vector<sg::Host*> hosts;
  for (const PlacedNode& node : placement.nodes) hosts.push_back(all.at(node.host));
  return hosts;
}

std::string at_now() { return "at " + format_fixed(clock_now().count(), 3) + " s of simulated time "; }

/// Nodes, machines and network of one run.
class Simulation : public FaultActions {
 public:
  Simulation(const Placement& placement, const NodeProgram& program, const SimulationOptions& options, EventLog& log)
      : program_(program),
        options_(options),
        log_(log),
        stop_(options.stop == nullptr ? never_ : *options.stop),
        alarms_(options.limit),
        network_(hosts_of(placement), {.limit = options.limit, .retry = options.period}, alarms_, links_),
        machines_(placement, options.seed, alarms_, [this](const std::string& host) { give_notice(host); }),
        nodes_(node_facts(placement)),
        faults_(options.faults, nodes_) {
    if (options.threads > 0) pool_ = std::make_unique<ThreadPool>(options.threads);
    const std::vector<sg::Host*> hosts = hosts_of(placement);
    for (const PlacedNode& node : placement.nodes) {
      lives_.push_back(std::make_unique<NodeLife>(NodeLife{.node = node, .host = hosts[lives_.size()]}));
      on_host_[lives_.back()->host].push_back(lives_.back().get());
    }
  }

  SimulationReport run() {
    sg::Host::on_state_change_cb([this](const sg::Host& host) { host_changed(host); });
    sg::Engine::on_time_advance_cb([this](double) {
      if (!stop_ || over_) return;
      stopped_ = true;
      finish();
    });
    machines_.start();
    strike_at_times(options_.faults, nodes_, faults_, *this, alarms_, [this](NodeId id) { return network_.up(id); });
    wait_for_coordinator();
    for (const auto& life : lives_) {
      if (life->host->is_on()) begin(*life);
    }
    sg::Engine::get_instance()->run();
    if (failure_) std::rethrow_exception(failure_);
    if (!over_ && !network_.up(kCoordinator)) throw coordinator_lost();
    if (!over_) throw RunError(static_cast<int>(ExitStatus::no_progress), at_now() + "every node waits for another");
    return {.traffic = std::move(traffic_),
            .links = links_.facts(),
            .model = model(),
            .stopped = stopped_,
            .never_struck = faults_.pending()};
  }

  // FaultActions, from the struck node's own actor or from outside any.
  void end(NodeId id, std::optional<Seconds> back) override {
    NodeLife& life = life_of(id);
    const bool own = is_self(life);
    simcall_answered([&] {
      if (over_ || !network_.up(id)) return;
      const sg::ActorPtr actor = life.actor;
      go_down(life);
      life.gone = !back;
      if (back) alarms_.after(*back, [this, &life] { begin_if_possible(life); });
      if (actor != nullptr && !own) actor->kill();
    });
    if (own) sg::this_actor::exit();
  }

  void freeze(NodeId id, Seconds lasting) override {
    NodeLife& life = life_of(id);
    const bool own = is_self(life);
    simcall_answered([&] {
      if (over_ || !network_.up(id)) return;
      network_.freeze(id);
      if (life.compute != nullptr) life.compute->freeze();
      life.frozen_until = std::max(life.frozen_until, clock_now() + lasting);
      const auto same = [this, id, incarnation = network_.incarnation(id)] {
        return network_.up(id) && network_.incarnation(id) == incarnation;
      };
      if (lasting > options_.limit) {
        record_down(life);
        alarms_.after(options_.limit, [this, id, same] {
          if (same()) network_.freeze_out(id);
        });
      }
      alarms_.at(life.frozen_until, [this, &life, same] {
        if (same() && clock_now() >= life.frozen_until) thaw(life);
      });
    });
    if (own) network_.hold(id);
  }

  void delay(NodeId id, Seconds lasting) override { network_.delay(id, lasting, clock_now() + lasting); }

  void cut(NodeId id, std::optional<NodeId> peer, Seconds lasting) override {
    simcall_answered([&] {
      if (!over_) network_.cut(id, peer, lasting);
    });
  }

 private:
  NodeLife& life_of(NodeId id) { return *lives_[static_cast<std::size_t>(index(id))]; }

  static bool is_self(const NodeLife& life) { return life.actor != nullptr && life.actor.get() == sg::Actor::self(); }

  std::map<std::string, std::vector<std::byte>> model() const {
    constexpr std::string_view kFolder = "model/";
    std::map<std::string, std::vector<std::byte>> files;
    for (const auto& life : lives_) {
      for (const std::string& key : life->storage.list(std::string(kFolder))) {
        files[key.substr(kFolder.size())] = *life->storage.get(key);
      }
    }
    return files;
  }

  void record(EventKind kind, NodeId node) { log_.record({.time = clock_now(), .kind = kind, .node = node}); }
  void record_up(NodeLife& life) {
    if (!std::exchange(life.recorded, true)) record(EventKind::node_up, life.node.id);
  }
  void record_down(NodeLife& life) {
    if (std::exchange(life.recorded, false)) record(EventKind::node_down, life.node.id);
  }

  void begin_if_possible(NodeLife& life) {
    if (!over_ && !life.gone && life.host->is_on() && !network_.up(life.node.id)) begin(life);
  }

  void begin(NodeLife& life) {
    const NodeId id = life.node.id;
    network_.revive(id);
    if (id == kCoordinator) alarms_.cancel(patience_);
    life.frozen_until = {};
    life.compute = std::make_shared<SimCompute>(*life.host, life.node.speed, pool_.get(), stop_,
                                                [this, id] { network_.hold(id); });
    record_up(life);
    life.actor = sg::Actor::create(std::string(name(life.node.role)) + "-" + std::to_string(index(id)), life.host,
                                   [this, &life, compute = life.compute] { live(life, compute); });
  }

  void go_down(NodeLife& life) {
    record_down(life);
    network_.lose(life.node.id);
    life.compute = nullptr;
    life.actor = nullptr;
    life.down_since = clock_now();
    if (life.node.id == kCoordinator) wait_for_coordinator();
  }

  void thaw(NodeLife& life) {
    record_up(life);
    if (life.compute != nullptr) life.compute->thaw();
    network_.thaw(life.node.id);
  }

  /// The coordinator is gone: nobody waits for it longer than this, whatever else goes on.
  void wait_for_coordinator() {
    patience_ = alarms_.after(options_.limit + options_.deadline, [this] {
      if (!failure_) failure_ = std::make_exception_ptr(coordinator_lost());
      finish();
    });
  }

  RunError coordinator_lost() {
    const NodeLife& life = life_of(kCoordinator);
    return {static_cast<int>(ExitStatus::peers_lost),
            at_now() + "the coordinator is lost: its host \"" + life.host->get_name() + "\" is " +
                (life.host->is_on() ? "on, but its node is gone" : "off") + " since " +
                format_fixed(life.down_since.count(), 3) +
                " s; let it come back (restart instead of kill, where a fault did it)"};
  }

  void run_program(const NodeLife& life, SimCompute& compute) {
    const auto inbox = network_.connect(life.node.id);
    MeteredTransport transport(*inbox, compute, log_, traffic_, [this](NodeId id) { return life_of(id).node.site; });
    MemoryStorage& storage = life_of(life.node.id).storage;
    if (!faults_.concerns(life.node.id)) return program_(life.node, Seams{transport, compute, storage, log_});
    FaultySeams faulty(life.node.role, faults_, *this, transport, compute, storage);
    program_(life.node, Seams{faulty.transport(), faulty.compute(), faulty.storage(), log_});
  }

  /// The body of a node's actor.
  void live(NodeLife& life, const std::shared_ptr<SimCompute>& compute) {
    if (over_ || life.compute != compute) return;  // killed before it began: SimGrid begins it all the same
    const bool coordinates = life.node.id == kCoordinator;
    bool failed = false;
    bool gave_up = false;
    try {
      run_program(life, *compute);
    } catch (const WorkInterrupted&) {
      stopped_ = failed = true;
    } catch (const std::exception& error) {
      gave_up = !coordinates && dynamic_cast<const RunError*>(&error) != nullptr;
      failed = !gave_up;
      if (failed && !failure_) failure_ = std::current_exception();
    }
    // Behind the handlers: no other actor may run while this one handles an exception.
    if (life.compute == compute) life.actor = nullptr;
    if (coordinates || failed) return finish();
    if (!gave_up) return;
    simcall_answered([&] {
      if (!over_ && life.compute == compute) go_down(life);
    });
  }

  /// All that could keep the simulation going ends.
  void finish() {
    simcall_answered([this] {
      if (std::exchange(over_, true)) return;
      alarms_.cancel_all();
      network_.stop();
      for (const auto& life : lives_) {
        if (life->actor != nullptr) std::exchange(life->actor, nullptr)->kill();
      }
    });
  }

  void host_changed(const sg::Host& host) {
    for (NodeLife* const life : on_host_[&host]) {
      if (over_) return;
      if (host.is_on()) {
        begin_if_possible(*life);
      } else if (network_.up(life->node.id)) {
        go_down(*life);
      }
    }
  }

  void give_notice(const std::string& host) {
    for (const NodeLife* const life : on_host_[sg::Host::by_name(host)]) {
      if (life->compute == nullptr) continue;
      record(EventKind::notice, life->node.id);
      life->compute->notice();
    }
  }

  const NodeProgram& program_;
  const SimulationOptions& options_;
  EventLog& log_;
  const std::atomic<bool> never_{false};
  const std::atomic<bool>& stop_;
  std::unique_ptr<ThreadPool> pool_;
  Alarms alarms_;
  LinkUse links_;
  SimNetwork network_;
  Machines machines_;
  std::vector<NodeFacts> nodes_;
  FaultBoard faults_;
  std::vector<std::unique_ptr<NodeLife>> lives_;
  std::unordered_map<const sg::Host*, std::vector<NodeLife*>> on_host_;
  Alarms::Id patience_ = 0;  ///< the alarm that ends the wait for the coordinator
  Traffic traffic_;
  std::exception_ptr failure_;
  bool over_ = false;
  bool stopped_ = false;
};

}  // namespace

SimulationReport simulate(const Placement& placement, const NodeProgram& program, const SimulationOptions& options,
                          EventLog& log) {
  return Simulation(placement, program, options, log).run();
}

}  // namespace dipaco
