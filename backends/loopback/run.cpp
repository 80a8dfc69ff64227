#include "backends/loopback/run.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <thread>
#include <utility>

#include "backends/loopback/outcome.hpp"
#include "backends/loopback/transport.hpp"
#include "core/base/ended_early.hpp"
#include "core/base/error.hpp"
#include "core/compute/calling_thread.hpp"
#include "core/faults/board.hpp"
#include "core/faults/parse.hpp"
#include "core/faults/seams.hpp"
#include "core/roles/checked_transport.hpp"
#include "core/state/archive.hpp"
#include "core/state/ledger.hpp"
#include "core/storage/directory_storage.hpp"
#include "core/storage/memory_storage.hpp"
#include "core/transport/metered.hpp"

namespace dipaco {
namespace {

constexpr SiteId kSite{0};

std::vector<NodeFacts> make_nodes(const LoopbackOptions& options) {
  std::vector<NodeFacts> nodes;
  const auto add = [&](Role role, std::int32_t count) {
    for (std::int32_t k = 0; k < count; ++k) {
      nodes.push_back(
          {.id = NodeId{static_cast<std::int32_t>(nodes.size())}, .role = role, .site = kSite, .host = "local"});
    }
  };
  add(Role::coordinator, 1);
  add(Role::store, options.stores);
  add(Role::executor, options.executors);
  add(Role::worker, options.workers);
  add(Role::evaluator, options.evaluators);
  return nodes;
}

FaultPlan all_faults(const RunPlan& plan, const LoopbackOptions& options) {
  FaultPlan faults = parse_faults(plan.config.faults);
  faults.insert(faults.end(), options.faults.begin(), options.faults.end());
  return faults;
}

std::size_t place_of(NodeId node) { return static_cast<std::size_t>(index(node)); }

/// One node of the run, over all its incarnations. Its thread alone uses it, but for compute's notice().
struct NodeParts {
  NodeParts(const NodeFacts& node, const LoopbackNetwork& network, std::function<void(InnerSteps)> pay,
            std::unique_ptr<Storage> kept)
      : facts(node), compute([&network] { return network.now(); }, std::move(pay)), storage(std::move(kept)) {}

  NodeFacts facts;
  LoopbackCompute compute;
  std::unique_ptr<Storage> storage;
  Traffic traffic{};              ///< no thread counts in another's
  std::optional<Seconds> back{};  ///< once a fault has ended it: when it begins anew
};

/// What faults do to the nodes of one run. Each call comes from the struck node's own thread.
class LoopbackActions : public FaultActions {
 public:
  LoopbackActions(LoopbackNetwork& network, std::deque<NodeParts>& nodes, EventLog& log)
      : network_(network), nodes_(nodes), log_(log) {}

  void end(NodeId node, std::optional<Seconds> back) override {
    record(EventKind::node_down, node);
    nodes_[place_of(node)].back = back;
    network_.kill(node);
    throw NodeKilled{};
  }
  void freeze(NodeId node, Seconds lasting) override {
    record(EventKind::node_down, node);
    network_.freeze(node, lasting);
    network_.wait_until_thawed(node);
    record(EventKind::node_up, node);
  }
  void delay(NodeId node, Seconds lasting) override { network_.delay(node, lasting); }
  void cut(NodeId node, std::optional<NodeId> peer, Seconds lasting) override { network_.cut(node, peer, lasting); }

 private:
  void record(EventKind kind, NodeId node) { log_.record({.time = network_.now(), .kind = kind, .node = node}); }

  LoopbackNetwork& network_;
  std::deque<NodeParts>& nodes_;
  EventLog& log_;
};

/// The threads of one run and what they share.
class Threads {
 public:
  Threads(const RunPlan& plan, const LoopbackOptions& options)
      : plan_(plan),
        options_(options),
        facts_(make_nodes(options)),
        board_(all_faults(plan, options), facts_),
        network_(facts_.size(), {.limit = plan.config.liveness.limit, .test_clock = options.test_clock}),
        actions_(network_, nodes_, log_) {
    for (const NodeFacts& node : facts_) {
      std::function<void(InnerSteps)> pay;
      if (options.test_clock) pay = [this, id = node.id](InnerSteps steps) { pass(id, steps); };
      nodes_.emplace_back(node, network_, std::move(pay), make_storage(node.id));
    }
  }

  LoopbackRun run() {
    const auto resumed_from = begun_until(Ledger(*nodes_.front().storage, plan_).state(), plan_);
    {
      std::vector<std::jthread> threads;
      for (NodeParts& node : nodes_) threads.emplace_back([this, &node] { run_node(node); });
      threads.emplace_back([this] { watch_for_stop(); });
    }
    LoopbackRun run{.result = {},
                    .ended = network_.now(),
                    .events = log_.take(),
                    .traffic = {},
                    .nodes = facts_,
                    .stopped = outcome_.stopped(),
                    .never_struck = board_.pending(),
                    .resumed_from = resumed_from};
    for (const NodeParts& node : nodes_) run.traffic += node.traffic;
    try {
      auto result = outcome_.take_result();
      if (!result && !outcome_.stopped()) why_no_result();
      run.result = std::move(result).value_or(RunResult{});
    } catch (const RunError& why) {
      throw EndedEarly<LoopbackRun>(why, std::move(run));
    }
    return run;
  }

 private:
  void pass(NodeId node, InnerSteps steps) {
    network_.pass(node, static_cast<double>(steps.value) * options_.test_step);
  }

  void run_node(NodeParts& node) {
    try {
      while (!serve_once(node)) network_.rest(node.facts.id, *std::exchange(node.back, std::nullopt));
    } catch (const NodeKilled&) {
      // Ended for good by a fault, or because the run is over.
    } catch (const DataError& error) {
      // Files are named by their keys in the node's storage.
      fail(options_.state.empty()
               ? std::current_exception()
               : std::make_exception_ptr(DataError(folder_of(node.facts.id).string() + "/" + error.what())));
    } catch (...) {
      fail(std::current_exception());
    }
    if (node.facts.role == Role::coordinator) {
      // Whoever has not ended by its farewell has nobody left to hear of; no more time passes for them.
      outcome_.end();
      end_all();
    }
    network_.leave(node.facts.id);
  }

  void fail(std::exception_ptr failure) {
    outcome_.failed(std::move(failure));
    end_all();
  }

  std::filesystem::path folder_of(NodeId node) const {
    return options_.state / ("node-" + std::to_string(index(node)));
  }

  /// One incarnation; false where it is to begin anew.
  bool serve_once(NodeParts& node) {
    try {
      serve(node);
    } catch (const NodeKilled&) {
      if (!node.back) throw;
      return false;
    }
    return true;
  }

  void serve(NodeParts& node) {
    const auto inbox = network_.connect(node.facts.id);
    node.compute.urgent_mail(false);
    network_.tell_urgent(node.facts.id, [&node](bool waits) { node.compute.urgent_mail(waits); });
    CheckedTransport checked(*inbox, plan_, node.compute, log_);
    MeteredTransport metered(checked, node.compute, log_, node.traffic, [](NodeId) { return kSite; });
    log_.record({.time = node.compute.now(), .kind = EventKind::node_up, .node = node.facts.id});
    if (!board_.concerns(node.facts.id))
      return serve_role(node, {metered, node.compute, *node.storage, log_, archive_});
    FaultySeams faulty(node.facts.role, board_, actions_, metered, node.compute, *node.storage);
    serve_role(node, {faulty.transport(), faulty.compute(), faulty.storage(), log_, archive_});
  }

  void serve_role(const NodeParts& node, Seams seams) {
    if (node.facts.role != Role::coordinator) {
      // Each node counts as a machine of its own, as each can be lost alone.
      return run_role(plan_, seams,
                      {.role = node.facts.role,
                       .site = node.facts.site,
                       .speed = {},
                       .machine = "node-" + std::to_string(index(node.facts.id))});
    }
    outcome_.finished(run_coordinator(plan_, seams,
                                      {.executors = options_.executors,
                                       .stores = options_.stores,
                                       .evaluators = options_.evaluators,
                                       .progress = options_.progress,
                                       .note = options_.note}));
  }

  std::unique_ptr<Storage> make_storage(NodeId node) const {
    if (options_.state.empty()) return std::make_unique<MemoryStorage>();
    return std::make_unique<DirectoryStorage>(folder_of(node));
  }

  /// Work ends after its next step, and every seam call from then on ends its thread.
  void end_all() {
    for (NodeParts& node : nodes_) node.compute.notice();
    network_.kill_all();
  }

  void watch_for_stop() {
    while (!outcome_.over() && options_.stop != nullptr) {
      if (*options_.stop) {
        outcome_.stop();
        end_all();
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  [[noreturn]] void why_no_result() {
    const std::string since = std::to_string(network_.now().count()) + " s";
    if (network_.stuck()) {
      throw RunError(static_cast<int>(ExitStatus::no_progress),
                     "at " + since + " every node waits for a message, none is on its way, and none waits for a time");
    }
    throw RunError(static_cast<int>(ExitStatus::peers_lost),
                   "the coordinator (node 0) was ended for good by a fault, and nobody gives out tasks; let it begin "
                   "anew (faults.restart)");
  }

  const RunPlan& plan_;
  const LoopbackOptions& options_;
  std::vector<NodeFacts> facts_;
  FaultBoard board_;
  LoopbackNetwork network_;
  NoArchive archive_;
  LockedEventLog log_;
  std::deque<NodeParts> nodes_;
  LoopbackActions actions_;
  LoopbackOutcome outcome_;
};

}  // namespace

LoopbackRun run_loopback(const RunPlan& plan, const LoopbackOptions& options) { return Threads(plan, options).run(); }

}  // namespace dipaco
