#include "core/roles/known_start.hpp"

#include "core/base/error.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

FetchPathState KnownStart::of(const Task& task) const {
  const auto [path, outer_step] = task.id;
  const bool middle = task.first_inner_step > 0;
  return {.path = path,
          .version = middle ? number(outer_step) : plan_.timetable.state_version(path, number(outer_step)),
          .inner_steps = task.first_inner_step,
          .moments = true};
}

bool KnownStart::anew(const Task& task) const {
  const FetchPathState state = of(task);
  return state.version == 0 && state.inner_steps == 0;
}

bool KnownStart::is_last(const Task& task) const {
  const FetchPathState state = of(task);
  return last_ && last_->path == state.path && last_->version == state.version && state.inner_steps == 0;
}

PathStateBody KnownStart::get(const Task& task) const {
  check(knows(task), "a path state that is not known is fetched");
  return anew(task) ? start_state(plan_, task.id.path) : *last_;
}

}  // namespace dipaco
