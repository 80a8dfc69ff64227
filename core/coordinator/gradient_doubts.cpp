#include "core/coordinator/gradient_doubts.hpp"

namespace dipaco {

void OuterGradientDoubts::committed(PathId path, const std::vector<Epoch>& sent_to, bool by_running) {
  const Topology& topology = run_.plan.topology;
  for (std::int32_t l = 0; l < topology.levels(); ++l) {
    const ModuleId module = topology.module(path, l);
    if (topology.path_specific(module)) continue;
    const auto level = static_cast<std::size_t>(l);
    const bool same = level < sent_to.size() && sent_to[level] == run_.ownership.owner(module).epoch;
    if (!by_running || !same) doubts_.emplace(module, path);
  }
}

void OuterGradientDoubts::doubt_missing(PathId path) {
  const OuterStep done{run_.queue.path(path).version};
  for (const ModuleId module : run_.queue.missing_modules(path)) {
    if (run_.queue.modules().settled(module, path) < done) doubts_.emplace(module, path);
  }
}

void OuterGradientDoubts::owner_changed(ModuleId module) {
  for (const PathId path : run_.plan.topology.paths_through(module)) {
    const OuterStep done{run_.queue.path(path).version};
    if (done > run_.queue.modules().settled(module, path)) doubts_.emplace(module, path);
  }
}

void OuterGradientDoubts::undelivered(NodeId from, const GradientsLost& message) {
  const Owner& owner = run_.ownership.owner(message.module);
  if (owner.executor == from) return run_.lost_gradients.lacking({message.task, message.module}, owner.epoch);
  PathEntry& path = run_.queue.path(message.task.path);
  if (path.version == version_after(message.task.outer_step)) {
    doubts_.emplace(message.module, message.task.path);
  } else if (path.outer_step == message.task.outer_step) {
    path.attempt.sent_to.clear();  // its commit is not known here yet
  }
}

void OuterGradientDoubts::maker_lost(NodeId worker) {
  for (const auto& [task, module] : run_.lost_gradients.made_by(worker)) doubts_.emplace(module, task.path);
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
  for (auto doubt = doubts_.begin(); doubt != doubts_.end();) {
    const auto& [module, id] = *doubt;
    const PathEntry& path = run_.queue.path(id);
    const bool settled = run_.queue.modules().settled(module, id) >= OuterStep{path.version};
    const auto& stores = run_.holders.of(id, path.version);
    if (!settled && (stores.empty() || !run_.ownership.confirmed(module))) {
      ++doubt;
      continue;
    }
    if (!settled) {
      const NodeId executor = run_.ownership.owner(module).executor;
      const KnownNode* const member = run_.members.find(executor);
      const SiteId site = member == nullptr ? path.site : member->site;
      run_.send(executor, GradientsLost{.module = module,
                                        .task = {id, OuterStep{path.version - 1}},
                                        .store = run_.nearest(stores, site),
                                        .base = version_in(path.state_base, module),
                                        .inner_steps = static_cast<std::int32_t>(run_.plan.config.inner.steps)});
    }
    doubt = doubts_.erase(doubt);
  }
}

}  // namespace dipaco
