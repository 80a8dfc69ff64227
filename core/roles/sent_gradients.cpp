#include "core/roles/sent_gradients.hpp"

#include "core/roles/owned_module.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void SentGradients::send(const Task& task, const PathStateBody& after, ModuleCache& modules) {
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(task.id.path, l);
    if (plan_.topology.path_specific(module)) continue;
    GradientValues gradient = difference(task, after, l, modules);
    const NodeId executor = modules.owner(module);
    const Version base = version_in(task.base, module);
    const auto steps = static_cast<std::int32_t>(plan_.config.inner.steps);
    remember(executor, {module, task.id, NodeId{-1}, base, steps});
    if (executor == NodeId{-1}) continue;
    transport_.send(executor, make_message(OuterGradient{module, task.id, base, steps, std::move(gradient)}));
    if (expects_next(plan_, transport_.self(), task.id.outer_step)) modules.expect(module, next(base));
  }
}

GradientValues SentGradients::difference(const Task& task, const PathStateBody& after, std::int32_t level,
                                         const ModuleCache& modules) const {
  if (plan_.learner == nullptr) return make_gradient(plan_, level, {}, {});
  const ModuleId module = plan_.topology.module(task.id.path, level);
  return make_gradient(plan_, level, floats_of(modules.get(module, version_in(task.base, module))),
                       plan_.layout.part(floats_of(after.parameters), level));
}

/// Where no executor is known, the gradient is lost at once.
void SentGradients::remember(NodeId executor, const GradientsLost& gradient) {
  std::erase_if(sent_, [&](const auto& sent) {
    return sent.second.module == gradient.module && sent.second.task.path == gradient.task.path;
  });
  if (executor == NodeId{-1}) {
    transport_.send(kCoordinator, make_message(gradient));
  } else {
    sent_.emplace_back(executor, gradient);
  }
}

void SentGradients::lost(NodeId executor) {
  for (const auto& [to, gradient] : sent_) {
    if (to == executor) transport_.send(kCoordinator, make_message(gradient));
  }
  std::erase_if(sent_, [executor](const auto& sent) { return sent.first == executor; });
}

}  // namespace dipaco
