#pragma once

#include <optional>
#include <span>

#include "core/queue/fleet.hpp"
#include "core/queue/site_ways.hpp"

namespace dipaco {

/// Where tasks differ in length, whom a path's next task goes to: the worker that does most inner steps of it a second,
/// with the ways of the path's state and, unless it was the path's last, of its modules: the path's last worker has
/// them, or they are on their way to it. Of those that are equally useful, but for noise, the first.
/// @param some  free workers; nullopt: nobody. @returns nullopt where there is none
std::optional<NodeId> most_useful(const PathEntry& path, std::span<const std::optional<NodeId>> some,
                                  const Fleet& fleet, const SiteWays& ways);

}  // namespace dipaco
