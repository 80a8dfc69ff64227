#include "core/roles/sent_gradients.hpp"

#include <algorithm>

#include "core/roles/modules/owned_module.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void SentGradients::send(const Task& task, const Values& given, ModuleCache& modules) {
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(task.id.path, l);
    if (!plan_.topology.path_specific(module)) send(task.id, {module, version_in(task.base, module)}, given, modules);
  }
}

Owner SentGradients::send(const TaskId& task, const BaseVersion& part, const Values& given, ModuleCache& modules) {
  const auto& [module, base] = part;
  GradientValues gradient = difference(part, given, modules);
  const Owner owner = modules.owner(module);
  const auto steps = static_cast<std::int32_t>(plan_.config.inner.steps);
  remember(owner, {module, task, NodeId{-1}, base, steps});
  if (owner.executor == NodeId{-1}) return owner;
  const bool pushed = modules.is_pushed(module);
  transport_.send(owner.executor,
                  make_message(OuterGradient{module, task, base, steps, std::move(gradient), owner.epoch, pushed}));
  if (expects_next(plan_, transport_.self(), task.outer_step)) modules.expect(module, next(base));
  return owner;
}

GradientValues SentGradients::difference(const BaseVersion& part, const Values& given,
                                         const ModuleCache& modules) const {
  const std::int32_t level = part.module.level;
  return make_gradient(plan_, level, floats_of(modules.get(part.module, part.version)),
                       plan_.layout.part(floats_of(given), level));
}

/// Where no executor is known, the gradient is lost at once.
void SentGradients::remember(const Owner& owner, const GradientsLost& gradient) {
  std::erase_if(sent_, [&](const auto& sent) {
    return sent.second.module == gradient.module && sent.second.task.path == gradient.task.path;
  });
  if (owner.executor == NodeId{-1}) {
    transport_.send(kCoordinator, make_message(gradient));
  } else {
    sent_.emplace_back(owner, gradient);
  }
}

void SentGradients::answer(const GradientDoubted& doubted) const {
  const bool sent = std::ranges::any_of(sent_, [&](const auto& each) {
    const auto& [owner, gradient] = each;
    return gradient.module == doubted.module && gradient.task == doubted.task && owner.epoch == doubted.epoch;
  });
  if (!sent) transport_.send(kCoordinator, make_message(GradientsLost{.module = doubted.module, .task = doubted.task}));
}

void SentGradients::answer_all() {
  for (const GradientDoubted& doubted : std::exchange(asked_, {})) answer(doubted);
}

void SentGradients::lost(NodeId executor) {
  for (const auto& [owner, gradient] : sent_) {
    if (owner.executor == executor) transport_.send(kCoordinator, make_message(gradient));
  }
  std::erase_if(sent_, [executor](const auto& sent) { return sent.first.executor == executor; });
}

}  // namespace dipaco
