#include "core/runtime/loopback_run.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "core/compute/loopback.hpp"
#include "core/storage/directory_storage.hpp"
#include "core/storage/memory_storage.hpp"
#include "core/transport/loopback.hpp"
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
  add(Role::store, 1);
  add(Role::executor, options.executors);
  add(Role::worker, options.workers);
  add(Role::evaluator, options.evaluators);
  return nodes;
}

/// The threads of one run and what they share.
class Threads {
 public:
  Threads(const RunPlan& plan, const LoopbackOptions& options)
      : plan_(plan),
        options_(options),
        nodes_(make_nodes(options)),
        start_(std::chrono::steady_clock::now()),
        network_(nodes_.size(), [start = start_] { return Seconds(std::chrono::steady_clock::now() - start); }),
        traffic_(nodes_.size()) {
    for (std::size_t node = 0; node < nodes_.size(); ++node) computes_.emplace_back(start_);
  }

  LoopbackRun run() {
    {
      std::vector<std::jthread> threads;
      for (const NodeFacts& node : nodes_) threads.emplace_back([this, &node] { run_node(node); });
      threads.emplace_back([this] { watch_for_stop(); });
    }
    if (failure_) std::rethrow_exception(failure_);
    LoopbackRun run{
        .result = std::move(result_), .events = log_.take(), .traffic = {}, .nodes = nodes_, .stopped = stopped_};
    for (const Traffic& traffic : traffic_) run.traffic += traffic;
    return run;
  }

 private:
  void run_node(const NodeFacts& node) {
    try {
      serve(node);
    } catch (const NodeKilled&) {
      // Ended because another node failed, or the run was stopped.
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      end_all();
    }
    if (node.role == Role::coordinator) over_ = true;
  }

  void serve(const NodeFacts& node) {
    const auto place = static_cast<std::size_t>(index(node.id));
    const auto inbox = network_.connect(node.id);
    LoopbackCompute& compute = computes_[place];
    MeteredTransport transport(*inbox, compute, log_, traffic_[place], [](NodeId) { return kSite; });
    const auto storage = make_storage(place);
    const Seams seams{transport, compute, *storage, log_};
    log_.record({.time = compute.now(), .kind = EventKind::node_up, .node = node.id});
    if (node.role != Role::coordinator)
      return run_role(plan_, seams, {.role = node.role, .site = node.site, .speed = {}});
    result_ = run_coordinator(plan_, seams,
                              {.executors = options_.executors,
                               .stores = 1,
                               .evaluators = options_.evaluators,
                               .progress = options_.progress});
  }

  std::unique_ptr<Storage> make_storage(std::size_t place) const {
    if (options_.state.empty()) return std::make_unique<MemoryStorage>();
    return std::make_unique<DirectoryStorage>(options_.state / ("node-" + std::to_string(place)));
  }

  /// Work ends after its next step, and every seam call from then on ends its thread.
  void end_all() {
    for (LoopbackCompute& compute : computes_) compute.notice();
    network_.kill_all();
  }

  void watch_for_stop() {
    while (!over_ && options_.stop != nullptr) {
      if (*options_.stop) {
        stopped_ = true;
        end_all();
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  const RunPlan& plan_;
  const LoopbackOptions& options_;
  std::vector<NodeFacts> nodes_;
  std::chrono::steady_clock::time_point start_;
  LoopbackNetwork network_;
  std::deque<LoopbackCompute> computes_;  ///< of each node
  LockedEventLog log_;
  std::vector<Traffic> traffic_;  ///< of each node: no thread counts in another's
  std::mutex mutex_;
  std::exception_ptr failure_;
  RunResult result_;
  std::atomic<bool> over_{false};
  std::atomic<bool> stopped_{false};
};

}  // namespace

LoopbackRun run_loopback(const RunPlan& plan, const LoopbackOptions& options) { return Threads(plan, options).run(); }

}  // namespace dipaco
