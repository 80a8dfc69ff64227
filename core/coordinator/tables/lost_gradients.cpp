#include "core/coordinator/tables/lost_gradients.hpp"

namespace dipaco {

void LostGradients::lacking(const LostGradient& gradient, Epoch owner) {
  lost_[{gradient.task.path, gradient.module}] = {.outer_step = gradient.task.outer_step, .owner = owner};
}

void LostGradients::made(NodeId worker, const GradientsMade& message) {
  for (const Owner& owner : message.sent_to) {
    const auto found = lost_.find({message.task.path, owner.module});
    if (found == lost_.end() || owner.executor == NodeId{-1}) continue;
    Lost& lost = found->second;
    if (lost.outer_step == message.task.outer_step && lost.owner <= owner.epoch) lost.maker = worker;
  }
}

std::vector<ModuleId> LostGradients::to_make(const TaskId& task) const {
  std::vector<ModuleId> modules;
  for (auto at = lost_.lower_bound({task.path, {}}); at != lost_.end() && at->first.first == task.path; ++at) {
    const Lost& lost = at->second;
    if (lost.outer_step == task.outer_step && lost.maker == NodeId{-1}) modules.push_back(at->first.second);
  }
  return modules;
}

std::vector<LostGradient> LostGradients::made_by(NodeId worker) const {
  std::vector<LostGradient> made;
  for (const auto& [place, lost] : lost_) {
    if (lost.maker == worker) made.push_back({{place.first, lost.outer_step}, place.second});
  }
  return made;
}

std::vector<LostGradient> LostGradients::all() const {
  std::vector<LostGradient> all;
  for (const auto& [place, lost] : lost_) all.push_back({{place.first, lost.outer_step}, place.second});
  return all;
}

}  // namespace dipaco
