#include "core/plan/timetable.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>

#include "core/base/random.hpp"

namespace dipaco {

Timetable::Timetable(const RunConfig& config, std::int32_t paths, bool scores)
    : paths_(paths),
      drawn_paths_(drawn_paths(config.routing, paths)),
      active_(active_paths(config.routing, config.outer.steps, paths)),
      tasks_(config.inner.dylu ? 0 : all_tasks(config.routing, config.outer.steps, paths)),
      inner_steps_(all_tasks(config.routing, config.outer.steps, paths) * config.inner.steps),
      outer_steps_(static_cast<std::int32_t>(last_version(config))),
      every_(scores ? static_cast<std::int32_t>(config.evaluate.every) : 0),
      stops_early_(scores && config.evaluate.early_stopping),
      begins_{OuterStep{0}} {
  draw_paths(config);
  if (!scores) return;
  for (const std::int64_t step : reshard_steps(config.routing)) begins_.push_back(static_cast<OuterStep>(step));
}

void Timetable::draw_paths(const RunConfig& config) {
  if (drawn_paths_ == paths_ && active_.empty()) return;
  std::vector<std::uint32_t> order(static_cast<std::size_t>(paths_));
  drawn_.resize(order.size());
  for (std::int32_t step = 0; step < outer_steps_; ++step) {
    std::iota(order.begin(), order.end(), 0);
    if (active_.empty()) shuffle(order, config.run.seed, Draw::path_sample, static_cast<std::uint64_t>(step));
    for (std::size_t k = 0; k < static_cast<std::size_t>(trained_paths(OuterStep{step})); ++k)
      drawn_[order[k]].push_back(OuterStep{step});
  }
}

std::int32_t Timetable::trained_paths(OuterStep outer_step) const {
  return active_.empty() ? drawn_paths_ : active_[static_cast<std::size_t>(number(outer_step))];
}

Timetable::Steps::const_iterator Timetable::from(PathId path, OuterStep outer_step) const {
  return std::lower_bound(drawn(path).begin(), drawn(path).end(), outer_step);
}

bool Timetable::trains(PathId path, OuterStep outer_step) const {
  if (number(outer_step) >= outer_steps_) return false;
  return drawn_.empty() || std::binary_search(drawn(path).begin(), drawn(path).end(), outer_step);
}

OuterStep Timetable::next_trained(PathId path, OuterStep outer_step) const {
  if (drawn_.empty()) return std::min(outer_step, OuterStep{outer_steps_});
  const auto next = from(path, outer_step);
  return next == drawn(path).end() ? OuterStep{outer_steps_} : *next;
}

std::int32_t Timetable::state_version(PathId path, std::int32_t version) const {
  if (drawn_.empty()) return std::min(version, outer_steps_);
  const auto next = from(path, OuterStep{version});
  return next == drawn(path).begin() ? 0 : version_after(*std::prev(next));
}

std::int32_t Timetable::tasks_before(PathId path, OuterStep outer_step) const {
  if (drawn_.empty()) return std::min(number(outer_step), outer_steps_);
  return static_cast<std::int32_t>(from(path, outer_step) - drawn(path).begin());
}

std::int32_t Timetable::phase_of(OuterStep outer_step) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), outer_step);
  return static_cast<std::int32_t>(next - begins_.begin()) - 1;
}

std::vector<Purpose> Timetable::due(std::int32_t version) const {
  std::vector<Purpose> purposes;
  if (version == 0) return purposes;
  if (std::find(begins_.begin() + 1, begins_.end(), OuterStep{version}) != begins_.end())
    purposes.push_back(Purpose::routing);
  // Losses on the hold-outs of other shards cannot be compared.
  if (stops_early_ && version > number(begins_.back())) purposes.push_back(Purpose::early_stopping);
  if (every_ > 0 && version % every_ == 0 && version < outer_steps_) purposes.push_back(Purpose::progress);
  return purposes;
}

}  // namespace dipaco
