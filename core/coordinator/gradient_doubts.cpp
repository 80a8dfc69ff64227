#include "core/coordinator/gradient_doubts.hpp"

#include "core/coordinator/known/rounds.hpp"
#include "core/plan/regions.hpp"

namespace dipaco {

void OuterGradientDoubts::committed(PathId path, const std::vector<Epoch>& sent_to, const By& by) {
  const Topology& topology = run_.plan.topology;
  for (std::int32_t l = 0; l < topology.levels(); ++l) {
    const ModuleId module = topology.module(path, l);
    if (topology.path_specific(module)) continue;
    const auto level = static_cast<std::size_t>(l);
    const bool same = level < sent_to.size() && sent_to[level] == run_.ownership.owner(module).epoch;
    if (run_.queue.modules().settled(module, path) >= given_before(run_, path)) continue;
    if (!by.last) doubts_.lost({module, path});
    if (!by.running || !same) doubts_.doubt({module, path});
  }
}

void OuterGradientDoubts::doubt_missing(PathId path) {
  const OuterStep done = given_before(run_, path);
  for (const ModuleId module : run_.queue.missing_modules(path)) {
    if (run_.queue.modules().settled(module, path) < done) doubts_.doubt({module, path});
  }
}

void OuterGradientDoubts::owner_changed(ModuleId module, bool anew) {
  for (const PathId path : run_.plan.topology.paths_through(module)) {
    const OuterStep done = given_before(run_, path);
    if (done <= run_.queue.modules().settled(module, path)) continue;
    anew ? doubts_.lost({module, path}) : doubts_.doubt({module, path});
  }
}

void OuterGradientDoubts::undelivered(NodeId from, const GradientsLost& message) {
  const Owner& owner = run_.ownership.owner(message.module);
  if (owner.executor == from) return run_.lost_gradients.lacking({message.task, message.module}, owner.epoch);
  PathEntry& path = run_.queue.path(message.task.path);
  if (path.version == version_after(message.task.outer_step)) {
    doubts_.lost({message.module, message.task.path});
  } else if (path.outer_step == message.task.outer_step) {
    // Its commit is not known here yet, nor which attempt's it is.
    path.attempt.sent_to.clear();
    if (path.backup) path.backup->sent_to.clear();
  }
}

void OuterGradientDoubts::settled(ModuleId module, PathId path) {
  // What a region gives is in no doubt; and earlier ones of a path say nothing of its newest.
  if (!is_path(run_.plan, path)) return;
  if (run_.queue.modules().settled(module, path) >= given_before(run_, path)) doubts_.settled({module, path});
}

void OuterGradientDoubts::restored(PathId id) {
  doubt_missing(id);
  const NodeId worker = run_.queue.path(id).attempt.worker;
  if (worker != NodeId{-1}) unheard_.insert(worker);
}

void OuterGradientDoubts::worker_lost(NodeId worker) {
  unheard_.erase(worker);
  doubts_.worker_lost(worker);
  for (const auto& [task, module] : run_.lost_gradients.made_by(worker)) doubts_.lost({module, task.path});
}

std::optional<Seconds> OuterGradientDoubts::due() const {
  const bool over = unheard_.empty() || doubts_.empty() || run_.now() >= run_.awaited.until();
  return over ? std::nullopt : std::optional(run_.awaited.until());
}

/// Wants the jobs that make what executors lack. None, unless somebody has begun it, of what has come meanwhile.
void OuterGradientDoubts::mend_lost() {
  for (const LostGradient& lost : run_.lost_gradients.all()) {
    const auto& [task, module] = lost;
    const bool newest = run_.queue.path(task.path).version == version_after(task.outer_step);
    const bool settled = run_.queue.modules().settled(module, task.path) > task.outer_step;
    if (!newest || settled) run_.lost_gradients.forget(lost);
    const Job job = gradients_of(task);
    if (!run_.lost_gradients.to_make(task).empty()) {
      run_.jobs.want(job);
    } else if (run_.jobs.waiting().contains(job)) {
      run_.jobs.done(job);
    }
  }
}

void OuterGradientDoubts::mend() {
  mend_lost();
  if (run_.now() >= run_.awaited.until()) unheard_.clear();
  doubts_.each([this](const Doubts::Gradient& gradient, bool lost) { return mend(gradient, lost); });
}

/// @returns whether nothing is left to do
bool OuterGradientDoubts::mend(const Doubts::Gradient& gradient, bool lost) {
  const auto& [module, id] = gradient;
  const PathEntry& path = run_.queue.path(id);
  if (run_.queue.modules().settled(module, id) >= given_before(run_, id)) return true;
  if (!run_.ownership.confirmed(module)) return false;
  if (!lost && unheard_.contains(path.attempt.worker)) return false;
  return !lost && run_.members.contains(path.attempt.worker) ? ask_sender(gradient) : make_again(gradient);
}

/// The worker of the path's last attempt is its sender, or answers that it is not.
bool OuterGradientDoubts::ask_sender(const Doubts::Gradient& gradient) {
  const auto& [module, id] = gradient;
  const PathEntry& path = run_.queue.path(id);
  run_.send(path.attempt.worker,
            GradientDoubted{module, {id, OuterStep{path.version - 1}}, run_.ownership.owner(module).epoch});
  doubts_.asked(gradient, path.attempt.worker);
  return true;
}

bool OuterGradientDoubts::make_again(const Doubts::Gradient& gradient) {
  const auto& [module, id] = gradient;
  const PathEntry& path = run_.queue.path(id);
  const auto& stores = run_.holders.of(id, path.version);
  if (stores.empty()) return false;
  const NodeId executor = run_.ownership.owner(module).executor;
  const KnownNode* const member = run_.members.find(executor);
  const NodeId store = run_.nearest(stores, member == nullptr ? path.site : member->site);
  run_.send(executor, GradientsLost{.module = module,
                                    .task = {id, OuterStep{path.version - 1}},
                                    .store = store,
                                    .base = version_in(path.state_base, module),
                                    .inner_steps = path.state_length});
  doubts_.makes(gradient, store);
  return true;
}

}  // namespace dipaco
