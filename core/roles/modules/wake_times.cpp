#include "core/roles/modules/wake_times.hpp"

#include <algorithm>

namespace dipaco {

void WakeTimes::note(ModuleId module, std::optional<Seconds> when) {
  if (when) {
    times_.insert_or_assign(module, *when);
  } else {
    times_.erase(module);
  }
}

std::vector<ModuleId> WakeTimes::take_ended(Seconds now) {
  std::vector<ModuleId> ended;
  std::erase_if(times_, [&](const auto& entry) {
    if (entry.second > now) return false;
    ended.push_back(entry.first);
    return true;
  });
  return ended;
}

Seconds WakeTimes::patience(Seconds now, Seconds otherwise) const {
  if (times_.empty()) return otherwise;
  const auto sooner = [](const auto& one, const auto& other) { return one.second < other.second; };
  const Seconds rest = std::max(Seconds(0), std::ranges::min_element(times_, sooner)->second - now);
  return otherwise < Seconds(0) ? rest : std::min(rest, otherwise);
}

}  // namespace dipaco
