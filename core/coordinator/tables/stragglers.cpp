#include "core/coordinator/tables/stragglers.hpp"

#include <algorithm>

#include "core/queue/durations.hpp"

namespace dipaco {
namespace {

/// All that is remembered of a worker.
constexpr std::size_t kMostNeeded = Durations::kRemembered;

}  // namespace

Stragglers::News Stragglers::measured(NodeId worker, const Measured& task, double factor) {
  const auto named = all_.find(worker);
  const bool is_slow = named != all_.end();
  const bool seems_slow = is_slow ? task.step >= factor * named->second.usual
                                  : task.step >= factor * task.usual && task.step >= task.at_worst;
  if (is_slow) named->second.step = task.step;
  Opposing& opposing = opposing_[worker];
  opposing.in_a_row = seems_slow == is_slow ? 0 : opposing.in_a_row + 1;
  if (opposing.in_a_row < opposing.needed) return News::none;
  opposing.in_a_row = 0;
  if (!is_slow) {
    all_.emplace(worker, task);
    return News::slow;
  }
  all_.erase(named);
  opposing.needed = std::min(2 * opposing.needed, kMostNeeded);
  return News::recovered;
}

void Stragglers::lost(NodeId worker) {
  all_.erase(worker);
  opposing_.erase(worker);
}

}  // namespace dipaco
