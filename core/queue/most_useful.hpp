#pragma once

#include <optional>
#include <span>

#include "core/queue/fleet.hpp"
#include "core/queue/move_times.hpp"

namespace dipaco {

/// Where tasks differ in length, whom a path's next task goes to: the worker that does most inner steps of it a second,
/// with the way of the path's state. Of those that are equally useful, but for noise, the first.
/// @param some  free workers; nullopt: nobody. @returns nullopt where there is none
std::optional<NodeId> most_useful(const PathEntry& path, std::span<const std::optional<NodeId>> some,
                                  const Fleet& fleet, const MoveTimes& moves);

}  // namespace dipaco
