#include "core/roles/executor.hpp"

#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/outer/nesterov.hpp"
#include "core/plan/deadlines.hpp"
#include "core/state/archive.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

Executor::Executor(const RunPlan& plan, Seams seams, const NodeSelf& self)
    : plan_(plan),
      seams_(seams),
      presence_(plan, seams, self, [this](Hello& hello) { say(hello); }),
      files_(plan, seams.storage),
      sizes_{{0, plan.shard_weights}} {}

void Executor::run() {
  presence_.greet();
  while (!finished_) receive_one();
}

void Executor::receive_one() {
  // Nobody wakes while nothing is late: only errands that could not be sent are tried again.
  auto incoming = presence_.receive(errands_unsent() ? plan_.config.liveness.period : Seconds(-1));
  if (!incoming) {
    run_errands();
  } else if (const auto* lost = std::get_if<PeerLost>(&*incoming)) {
    std::erase_if(sent_, [&](const Errand& errand) { return errand.store == lost->node; });
  } else {
    auto& envelope = std::get<Envelope>(*incoming);
    handle(envelope.from, std::move(envelope.message));
  }
}

void Executor::handle(NodeId from, Message message) {
  if (auto* gradient = std::get_if<OuterGradient>(&message.body)) {
    early_.emplace_back(from, std::move(*gradient));
    take_early();
  } else if (auto* fetch = std::get_if<FetchModule>(&message.body)) {
    serve(from, *fetch);
  } else if (auto* lost = std::get_if<GradientsLost>(&message.body)) {
    make_again(*lost);
  } else if (auto* after = std::get_if<PathModule>(&message.body)) {
    add_from_store(*after);
  } else if (auto* own = std::get_if<OwnModules>(&message.body)) {
    take(*own);
  } else if (auto* copy = std::get_if<ModuleCopy>(&message.body)) {
    take_copy(from, *copy);
  } else if (auto* answer = std::get_if<ModuleStored>(&message.body)) {
    stored(from, *answer);
  } else if (auto* sizes = std::get_if<ShardSizes>(&message.body)) {
    if (plan_.config.outer.weighting == "equal") sizes->sizes = plan_.shard_weights;
    sizes_.emplace(sizes->phase, std::move(sizes->sizes));
    take_early();
    run_errands();
  } else if (auto* release = std::get_if<Release>(&message.body)) {
    files_.release(release->released);
  } else if (auto* request = std::get_if<Finish>(&message.body)) {
    finish(*request);
  } else if (std::holds_alternative<Goodbye>(message.body)) {
    finished_ = true;
  }
}

/// Adds the outer gradients that have come and can be added now.
void Executor::take_early() {
  for (auto& [from, gradient] : std::exchange(early_, {})) {
    const auto found = modules_.find(gradient.module);
    const bool wait = found == modules_.end() ? !told_ : found->second.version < 0;
    if (wait || !knows_sizes(gradient.task.outer_step)) {
      early_.emplace_back(from, std::move(gradient));
    } else if (found != modules_.end()) {
      add(gradient.module, gradient.task, gradient.difference, from);
    }
  }
}

bool Executor::knows_sizes(std::int32_t outer_step) const {
  return sizes_.contains(plan_.timetable.phase_of(outer_step));
}

/// The paths through a module that train at an outer step.
std::vector<PathId> Executor::contributors(ModuleId module, std::int32_t outer_step) const {
  std::vector<PathId> paths = plan_.topology.paths_through(module);
  std::erase_if(paths, [&](PathId path) { return !plan_.timetable.trains(path, outer_step); });
  return paths;
}

/// The weights of the outer gradients that make the module's next version.
void Executor::weigh(ModuleId module, Module& mine) const {
  const auto known = sizes_.find(plan_.timetable.phase_of(mine.version));
  if (known == sizes_.end()) return;
  const auto paths = contributors(module, mine.version);
  std::vector<double> sizes;
  for (const PathId path : paths) sizes.push_back(known->second[static_cast<std::size_t>(index(path))]);
  const auto weights = path_weights(sizes);
  mine.weights.clear();
  for (std::size_t k = 0; k < paths.size(); ++k) mine.weights[paths[k]] = weights[k];
}

void Executor::add(ModuleId module, TaskId task, const GradientValues& difference, NodeId from) {
  Module& mine = modules_.at(module);
  if (task.outer_step != mine.version) {
    // It came twice, and the module has gone on. Who sent it expects the next version all the same.
    const bool next = task.outer_step + 1 == mine.version && mine.version < plan_.config.outer.steps;
    if (next && from != NodeId{-1}) serve(from, {module, mine.version});
    return;
  }
  const auto known = mine.received.find(task.path);
  if (known != mine.received.end()) {
    if (from != NodeId{-1}) known->second = from;  // whoever sent it is pushed the next version
    return;
  }
  if (mine.received.empty()) weigh(module, mine);
  if (computes(module, mine.version + 1)) {
    mine.sum.add(gradient_floats(difference, mine.sum.size()), mine.weights.at(task.path),
                 text(task.path) + " in " + text(module));
  }
  mine.received.emplace(task.path, from);
  mine.remaking.erase(task.path);
  if (mine.received.size() == mine.weights.size()) step(module, mine);
}

bool Executor::computes(ModuleId module, std::int32_t version) const {
  return plan_.learner != nullptr && (plan_.archive == nullptr || !plan_.archive->past(module, version));
}

void Executor::step(ModuleId module, Module& mine) {
  double norm = 0;
  // A module that no path trains stays as it is (§2.6.2).
  if (!mine.received.empty() && computes(module, mine.version + 1)) {
    const bool sqrt = plan_.config.outer.rescale == "sqrt";
    const auto delta = mine.sum.mean(rescale_factor(sqrt, mine.weights.size()));
    for (const float d : delta) norm += static_cast<double>(d) * d;
    std::vector<float> parameters = *mine.parameters.data;
    step_module(plan_, mine.version, parameters, mine.velocity, delta);
    mine.parameters = make_values(std::move(parameters), mine.parameters.charged, true);
    mine.sum.clear();
  }
  ++mine.version;
  mine.norm = std::sqrt(norm);
  if (plan_.archive != nullptr) {
    ModuleState state = state_of(mine);
    plan_.archive->settle(module, state);
    mine.parameters = state.parameters;
    mine.velocity = *state.velocity.data;
    mine.norm = state.norm;
  }
  mine.out = false;
  // The last version is pushed to nobody: there is no task that needs it.
  const bool last = mine.version == plan_.config.outer.steps;
  for (const auto& [path, worker] : mine.received) {
    if (!last && worker != NodeId{-1}) mine.receivers.insert(worker);
  }
  mine.received.clear();
  files_.keep(module, state_of(mine));
  mine.unstored = {mine.copies.begin(), mine.copies.end()};
  put_copies(module, mine);
  publish_if_durable(module, mine);
}

void Executor::serve(NodeId from, const FetchModule& fetch) {
  const auto found = modules_.find(fetch.module);
  if (found == modules_.end()) return;  // the coordinator tells who asks of the new owner
  Module& mine = found->second;
  if (fetch.version > mine.version || (fetch.version == mine.version && !mine.out)) {
    mine.waiting.emplace(from, fetch.version);
    return;
  }
  Values parameters = mine.parameters;
  if (fetch.version < mine.version) {
    if (!files_.has(fetch.module, fetch.version)) return;  // from a task that is over
    parameters = files_.read(fetch.module, fetch.version).parameters;
  }
  seams_.transport.send(from, make_message(ModuleValues{fetch.module, fetch.version, mine.epoch, parameters}));
}

void Executor::make_again(const GradientsLost& lost) {
  const auto found = modules_.find(lost.module);
  if (found == modules_.end()) return;
  Module& mine = found->second;
  if (lost.task.outer_step != mine.version || mine.received.contains(lost.task.path)) return;
  mine.remaking[lost.task.path] = lost.store;
  run_errands();
}

void Executor::add_from_store(const PathModule& after) {
  std::erase_if(sent_, [&](const Errand& e) { return e.module == after.module && e.path == after.path; });
  const auto found = modules_.find(after.module);
  if (found == modules_.end()) return;
  const Module& mine = found->second;
  const TaskId task{after.path, after.version - 1};
  if (task.outer_step != mine.version || mine.received.contains(task.path) || !knows_sizes(task.outer_step)) return;
  const bool learned = plan_.learner != nullptr;
  const auto floats = [&](const Values& values) { return learned ? floats_of(values) : std::span<const float>(); };
  add(after.module, task, make_gradient(plan_, after.module.level, floats(mine.parameters), floats(after.parameters)),
      NodeId{-1});
}

void run_executor(const RunPlan& plan, Seams seams, const NodeSelf& self) { Executor(plan, seams, self).run(); }

}  // namespace dipaco
