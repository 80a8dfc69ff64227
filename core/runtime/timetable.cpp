#include "core/runtime/timetable.hpp"

#include <algorithm>

namespace dipaco {

Timetable::Timetable(const RunConfig& config, bool learns)
    : outer_steps_(static_cast<std::int32_t>(config.outer.steps)),
      every_(learns ? static_cast<std::int32_t>(config.evaluate.every) : 0),
      stops_early_(learns && config.evaluate.early_stopping),
      begins_{0} {
  if (!learns) return;
  for (const std::int64_t step : reshard_steps(config.routing)) begins_.push_back(static_cast<std::int32_t>(step));
}

std::int32_t Timetable::phase_of(std::int32_t outer_step) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), outer_step);
  return static_cast<std::int32_t>(next - begins_.begin()) - 1;
}

std::vector<Purpose> Timetable::due(std::int32_t version) const {
  std::vector<Purpose> purposes;
  if (version == 0) return purposes;
  if (std::find(begins_.begin() + 1, begins_.end(), version) != begins_.end()) purposes.push_back(Purpose::routing);
  // Losses on the hold-outs of other shards cannot be compared.
  if (stops_early_ && version > begins_.back()) purposes.push_back(Purpose::early_stopping);
  if (every_ > 0 && version % every_ == 0 && version < outer_steps_) purposes.push_back(Purpose::progress);
  return purposes;
}

}  // namespace dipaco
