#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/hash.hpp"
#include "core/outer/nesterov.hpp"
#include "core/outer/outer_gradient.hpp"
#include "core/runtime/node.hpp"
#include "core/runtime/path_values.hpp"
#include "core/runtime/roles.hpp"

namespace dipaco {
namespace {

/// One module at its executor.
struct OwnedModule {
  std::int32_t version = 0;
  Values parameters;            ///< of `version`
  std::vector<float> velocity;  ///< empty where nothing is learned
  OuterAccumulator sum{0};
  std::map<PathId, double> weights;   ///< alpha of Eq. 2-3, of the paths through it
  std::map<PathId, NodeId> received;  ///< paths whose outer gradient for version + 1 is in, and who sent it
  std::vector<std::pair<NodeId, std::int32_t>> waiting;  ///< who asked for a version that is not there yet
  std::map<std::int32_t, Values> pinned;                 ///< earlier versions that an evaluation may still ask for
};

/// Adds outer gradients as they arrive, in any order, and steps a module once all its paths' are in (§3.3).
class Executor {
 public:
  Executor(const RunPlan& plan, Seams seams) : plan_(plan), seams_(seams) {}

  void run() {
    while (!finished_) {
      auto incoming = seams_.transport.receive(Seconds(-1));
      check(incoming.has_value(), "a wait without a limit ends with something");
      // A lost worker needs nothing done here: the coordinator says which of its gradients to make again.
      if (auto* envelope = std::get_if<Envelope>(&*incoming)) handle(envelope->from, std::move(envelope->message));
    }
  }

 private:
  void handle(NodeId from, Message message) {
    if (auto* gradient = std::get_if<OuterGradient>(&message.body)) {
      add(gradient->module, gradient->task, gradient->difference, from);
    } else if (auto* fetch = std::get_if<FetchModule>(&message.body)) {
      serve(from, *fetch);
    } else if (auto* lost = std::get_if<GradientsLost>(&message.body)) {
      make_again(*lost);
    } else if (auto* after = std::get_if<PathModule>(&message.body)) {
      add_from_store(*after);
    } else if (auto* own = std::get_if<OwnModules>(&message.body)) {
      for (const ModuleId module : own->modules) take(module);
    } else if (auto* release = std::get_if<Release>(&message.body)) {
      for (auto& [module, owned] : modules_) owned.pinned.erase(release->version);
    } else if (std::holds_alternative<Finish>(message.body)) {
      finish();
    }
  }

  void take(ModuleId module) {
    OwnedModule owned;
    owned.parameters = start_module(plan_, module);
    if (plan_.learner != nullptr) {
      owned.velocity.assign(owned.parameters.data->size(), 0.0F);
      owned.sum = OuterAccumulator(owned.velocity.size());
    }
    const auto& paths = plan_.topology.paths_through(module);
    std::vector<double> sizes;
    for (const PathId path : paths) sizes.push_back(plan_.shard_weights[static_cast<std::size_t>(index(path))]);
    const auto weights = path_weights(sizes);
    for (std::size_t k = 0; k < paths.size(); ++k) owned.weights[paths[k]] = weights[k];
    modules_.emplace(module, std::move(owned));
  }

  OwnedModule& owned(ModuleId module) {
    const auto found = modules_.find(module);
    check(found != modules_.end(), "messages about a module go to its executor");
    return found->second;
  }

  void add(ModuleId module, TaskId task, const Values& difference, NodeId from) {
    OwnedModule& target = owned(module);
    if (task.outer_step != target.version || target.received.contains(task.path)) return;  // came twice
    if (plan_.learner != nullptr) {
      target.sum.add(floats_of(difference), target.weights.at(task.path), text(task.path) + " in " + text(module));
    }
    target.received.emplace(task.path, from);
    if (target.received.size() == target.weights.size()) step(module, target);
  }

  void step(ModuleId module, OwnedModule& target) {
    if (pinned(target.version)) target.pinned[target.version] = target.parameters;
    double norm = 0;
    if (plan_.learner != nullptr) {
      const bool sqrt = plan_.config.outer.rescale == "sqrt";
      const auto delta = target.sum.mean(rescale_factor(sqrt, target.weights.size()));
      for (const float d : delta) norm += static_cast<double>(d) * d;
      std::vector<float> parameters = *target.parameters.data;
      step_module(plan_, parameters, target.velocity, delta);
      target.parameters = make_values(std::move(parameters), target.parameters.charged, true);
      target.sum.clear();
    }
    ++target.version;
    keep(module, target);
    announce(module, target, std::sqrt(norm));
  }

  /// Makes the new version durable before it leaves.
  void keep(ModuleId module, const OwnedModule& target) {
    if (plan_.learner == nullptr) return;
    Checkpoint checkpoint;
    checkpoint.facts = {{"kind", "module"},
                        {"level", std::to_string(module.level)},
                        {"expert", std::to_string(module.expert)},
                        {"version", std::to_string(target.version)}};
    checkpoint.arrays = {{"parameters", *target.parameters.data}, {"velocity", target.velocity}};
    seams_.storage.put(key(module), encode(checkpoint));
  }

  static std::string key(ModuleId module) {
    return "modules/" + std::to_string(module.level) + "." + std::to_string(module.expert);
  }

  void announce(ModuleId module, OwnedModule& target, double norm) {
    seams_.log.record({.time = seams_.compute.now(),
                       .kind = EventKind::module_stepped,
                       .node = seams_.transport.self(),
                       .module = module,
                       .outer_step = target.version,
                       .value = norm});
    seams_.transport.send(kCoordinator, make_message(ModuleReady{module, target.version}));
    std::set<NodeId> receivers;  // by id: the same order on every run
    const bool last = target.version == plan_.config.outer.steps;
    for (const auto& [path, worker] : target.received) {
      if (!last && worker != NodeId{-1}) receivers.insert(worker);
    }
    for (const auto& [node, version] : std::exchange(target.waiting, {})) {
      if (version == target.version) receivers.insert(node);
    }
    target.received.clear();
    for (const NodeId node : receivers) {
      seams_.transport.send(node, make_message(ModuleValues{module, target.version, target.parameters}));
    }
  }

  bool pinned(std::int32_t version) const {
    const auto every = plan_.config.evaluate.every;
    return plan_.learner != nullptr && every > 0 && version > 0 && version % every == 0;
  }

  void serve(NodeId from, const FetchModule& fetch) {
    OwnedModule& source = owned(fetch.module);
    if (fetch.version > source.version) {
      source.waiting.emplace_back(from, fetch.version);
      return;
    }
    const auto old = source.pinned.find(fetch.version);
    if (fetch.version < source.version && old == source.pinned.end()) return;  // from a task that is over
    const Values& values = fetch.version == source.version ? source.parameters : old->second;
    seams_.transport.send(from, make_message(ModuleValues{fetch.module, fetch.version, values}));
  }

  void make_again(const GradientsLost& lost) {
    const OwnedModule& target = owned(lost.module);
    if (lost.task.outer_step != target.version || target.received.contains(lost.task.path)) return;
    seams_.transport.send(lost.store,
                          make_message(FetchPathModule{lost.module, lost.task.path, lost.task.outer_step + 1}));
  }

  void add_from_store(const PathModule& after) {
    const OwnedModule& target = owned(after.module);
    const TaskId task{after.path, after.version - 1};
    if (task.outer_step != target.version || target.received.contains(task.path)) return;
    Values difference{nullptr, after.parameters.charged};
    if (plan_.learner != nullptr) {
      difference = make_values(outer_gradient(floats_of(target.parameters), floats_of(after.parameters)),
                               after.parameters.charged, true);
    }
    add(after.module, task, difference, NodeId{-1});
  }

  void finish() {
    Finished finished;
    for (const auto& [module, mine] : modules_) {
      if (plan_.learner == nullptr) break;
      finished.hashes.push_back({module, hash_hex(floats_of(mine.parameters))});
      keep_module(seams_.storage, module, mine.version, floats_of(mine.parameters));
    }
    seams_.transport.send(kCoordinator, make_message(std::move(finished)));
    finished_ = true;
  }

  const RunPlan& plan_;
  Seams seams_;
  std::map<ModuleId, OwnedModule> modules_;
  bool finished_ = false;
};

}  // namespace

void run_executor(const RunPlan& plan, Seams seams, const NodeSelf& self) {
  say_hello(plan, seams, self);
  Executor(plan, seams).run();
}

}  // namespace dipaco
