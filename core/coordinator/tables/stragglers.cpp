#include "core/coordinator/tables/stragglers.hpp"

namespace dipaco {

Stragglers::News Stragglers::measured(NodeId worker, const Measured& task, double factor) {
  const auto named = all_.find(worker);
  if (named == all_.end()) {
    if (task.step < factor * task.usual) return News::none;
    all_.emplace(worker, task);
    return News::slow;
  }
  named->second.step = task.step;
  if (task.step >= factor * named->second.usual) return News::none;
  all_.erase(named);
  return News::recovered;
}

}  // namespace dipaco
