#include "core/roles/sent_gradients.hpp"

#include <algorithm>

#include "core/plan/giving.hpp"
#include "core/roles/modules/owned_module.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

void SentGradients::send(const Task& task, const Values& given, ModuleCache& modules) {
  if (plan_.policy.rounds && !gives(plan_, task.id.path, task.id.outer_step)) return;
  for (std::int32_t l = 0; l < plan_.topology.levels(); ++l) {
    const ModuleId module = plan_.topology.module(task.id.path, l);
    if (!plan_.topology.path_specific(module)) send(task, {module, version_in(task.base, module)}, given, modules);
  }
}

Owner SentGradients::send(const Task& task, const BaseVersion& part, const Values& given, ModuleCache& modules) {
  const auto& [module, base] = part;
  GradientValues gradient = difference(part, given, modules);
  const Owner owner = modules.owner(module);
  const NodeId to = modules.gradients_to(module);
  remember({owner, to, {module, task.id, NodeId{-1}, base, task.inner_steps}});
  if (owner.executor == NodeId{-1}) return owner;
  const bool goes_on = !task.last && expects_next(plan_, transport_.self(), task.id.outer_step);
  const Awaits there = modules.is_pushed(module) ? Awaits::push : Awaits::nothing_unasked;
  const Awaits awaits = task.last ? Awaits::no_version : there;
  OuterGradient sent{module, task.id, base, task.inner_steps, std::move(gradient), owner.epoch, awaits};
  transport_.send(to, to == owner.executor ? make_message(std::move(sent))
                                           : make_message(RelayedGradient{std::move(sent), owner.executor}));
  if (goes_on) modules.expect(module, next(base));
  return owner;
}

GradientValues SentGradients::difference(const BaseVersion& part, const Values& given,
                                         const ModuleCache& modules) const {
  const std::int32_t level = part.module.level;
  return make_gradient(plan_, level, floats_of(modules.get(part.module, part.version)),
                       plan_.layout.part(floats_of(given), level));
}

/// Where no executor is known, the gradient is lost at once.
void SentGradients::remember(const Sent& sent) {
  std::erase_if(sent_, [&](const Sent& each) {
    return each.gradient.module == sent.gradient.module && each.gradient.task.path == sent.gradient.task.path;
  });
  if (sent.owner.executor == NodeId{-1}) {
    transport_.send(kCoordinator, make_message(sent.gradient));
  } else {
    sent_.push_back(sent);
  }
}

void SentGradients::answer(const GradientDoubted& doubted) const {
  const bool sent = std::ranges::any_of(sent_, [&](const Sent& each) {
    const GradientsLost& gradient = each.gradient;
    return gradient.module == doubted.module && gradient.task == doubted.task && each.owner.epoch == doubted.epoch;
  });
  if (!sent) transport_.send(kCoordinator, make_message(GradientsLost{.module = doubted.module, .task = doubted.task}));
}

void SentGradients::answer_all() {
  for (const GradientDoubted& doubted : std::exchange(asked_, {})) answer(doubted);
}

void SentGradients::lost(NodeId node) {
  for (const Sent& each : sent_) {
    if (each.to == node) transport_.send(kCoordinator, make_message(each.gradient));
  }
  std::erase_if(sent_, [node](const Sent& each) { return each.to == node; });
}

void SentGradients::lost(const GradientsLost& gradient) {
  transport_.send(kCoordinator, make_message(gradient));
  std::erase_if(sent_, [&](const Sent& each) {
    return each.gradient.module == gradient.module && each.gradient.task == gradient.task;
  });
}

}  // namespace dipaco
