#include "backends/sim/simulation.hpp"

#include <exception>
#include <memory>
#include <simgrid/s4u.hpp>
#include <simgrid/simix.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "backends/sim/alarms.hpp"
#include "backends/sim/compute.hpp"
#include "backends/sim/links.hpp"
#include "backends/sim/machines.hpp"
#include "backends/sim/thread_pool.hpp"
#include "backends/sim/transport.hpp"
#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/storage/memory_storage.hpp"
#include "core/transport/metered.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

namespace {

std::vector<sg::Host*> hosts_of(const Placement& placement) {
  std::vector<sg::Host*> hosts;
  for (const PlacedNode& node : placement.nodes) hosts.push_back(sg::Host::by_name(node.host));
  return hosts;
}

std::string at_now() { return "at " + format_number(sg::Engine::get_clock()) + " s of simulated time "; }

/// Nodes, machines and network of one run.
class Simulation {
 public:
  Simulation(const Placement& placement, const NodeProgram& program, const SimulationOptions& options, EventLog& log)
      : program_(program),
        log_(log),
        stop_(options.stop == nullptr ? never_ : *options.stop),
        network_(hosts_of(placement), {.limit = options.limit, .retry = options.period}, alarms_, links_,
                 [this](NodeId node) { return begin_anew(node); }),
        machines_(placement, options.seed, alarms_, [this](const std::string& host) { give_notice(host); }) {
    if (options.threads > 0) pool_ = std::make_unique<ThreadPool>(options.threads);
    for (const PlacedNode& node : placement.nodes) {
      lives_.push_back(std::make_unique<Life>(Life{.node = node, .host = sg::Host::by_name(node.host)}));
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
    for (const auto& life : lives_) {
      if (life->host->is_on()) begin(*life);
    }
    sg::Engine::get_instance()->run();
    if (failure_) std::rethrow_exception(failure_);
    if (!over_) throw RunError(static_cast<int>(ExitStatus::no_progress), at_now() + "every node waits for another");
    return {.traffic = std::move(traffic_), .links = links_.facts(), .model = model(), .stopped = stopped_};
  }

 private:
  /// A node with its host, through all its incarnations.
  struct Life {
    PlacedNode node;
    sg::Host* host = nullptr;
    MemoryStorage storage{};                ///< a host that is off keeps it
    std::shared_ptr<SimCompute> compute{};  ///< shared with the actor, which unwinds after its successor has begun
    sg::ActorPtr actor{};
  };

  Life& life_of(NodeId id) { return *lives_[static_cast<std::size_t>(index(id))]; }

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

  void record(EventKind kind, NodeId node) {
    log_.record({.time = Seconds(sg::Engine::get_clock()), .kind = kind, .node = node});
  }

  void begin(Life& life) {
    const NodeId id = life.node.id;
    network_.revive(id);
    life.compute = std::make_shared<SimCompute>(*life.host, life.node.speed, pool_.get(), stop_);
    record(EventKind::node_up, id);
    life.actor = sg::Actor::create(std::string(name(life.node.role)) + "-" + std::to_string(index(id)), life.host,
                                   [this, &life, compute = life.compute] { live(life, compute); });
  }

  void end(Life& life) {
    record(EventKind::node_down, life.node.id);
    network_.lose(life.node.id);
    life.compute = nullptr;
    life.actor = nullptr;
  }

  /// The body of a node's actor.
  void live(Life& life, const std::shared_ptr<SimCompute>& compute) {
    const bool coordinates = life.node.id == kCoordinator;
    bool failed = false;
    try {
      const auto inbox = network_.connect(life.node.id);
      MeteredTransport transport(*inbox, *compute, log_, traffic_, [this](NodeId id) { return life_of(id).node.site; });
      program_(life.node, Seams{transport, *compute, life.storage, log_});
    } catch (const WorkInterrupted&) {
      stopped_ = failed = true;
    } catch (const std::exception&) {
      if (!failure_) failure_ = std::current_exception();
      failed = true;
    }
    // Behind the handlers: no other actor may run while this one handles an exception.
    if (life.compute == compute) life.actor = nullptr;
    if (coordinates || failed) finish();
  }

  /// All that could keep the simulation going ends.
  void finish() {
    simgrid::kernel::actor::simcall_answered([this] {
      if (std::exchange(over_, true)) return;
      alarms_.cancel_all();
      network_.stop();
      for (const auto& life : lives_) {
        if (life->actor != nullptr) std::exchange(life->actor, nullptr)->kill();
      }
    });
  }

  void fail(std::exception_ptr failure) {
    if (!failure_) failure_ = std::move(failure);
    finish();
  }

  void host_changed(const sg::Host& host) {
    for (const auto& life : lives_) {
      if (over_ || life->host != &host || network_.up(life->node.id) == host.is_on()) continue;
      if (host.is_on()) {
        begin(*life);
        continue;
      }
      end(*life);
      if (life->node.id == kCoordinator) {
        fail(std::make_exception_ptr(RunError(static_cast<int>(ExitStatus::peers_lost),
                                              at_now() + "the coordinator's host \"" + host.get_name() +
                                                  "\" went off; keep it on, or name another host")));
      }
    }
  }

  /// A node that works and has lost the coordinator says hello again, as a process that has lost its connection.
  bool begin_anew(NodeId id) {
    Life& life = life_of(id);
    if (life.node.role != Role::worker && life.node.role != Role::evaluator) return false;
    const sg::ActorPtr actor = life.actor;
    end(life);
    if (actor != nullptr) actor->kill();
    begin(life);
    return true;
  }

  void give_notice(const std::string& host) {
    for (const auto& life : lives_) {
      if (life->node.host != host || life->compute == nullptr) continue;
      record(EventKind::notice, life->node.id);
      life->compute->notice();
    }
  }

  const NodeProgram& program_;
  EventLog& log_;
  const std::atomic<bool> never_{false};
  const std::atomic<bool>& stop_;
  std::unique_ptr<ThreadPool> pool_;
  Alarms alarms_;
  LinkUse links_;
  SimNetwork network_;
  Machines machines_;
  std::vector<std::unique_ptr<Life>> lives_;
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
