#include "core/queue/most_useful.hpp"

namespace dipaco {
namespace {

/// Seconds that an inner step of the path's next task takes the worker, with its part of all that a task takes.
Seconds a_step(const PathEntry& path, const Fleet::Worker& worker, const Fleet& fleet, const MoveTimes& moves) {
  const std::int32_t left = fleet.steps_of(worker, path) - path.inner_steps;
  return (fleet.rest_of(worker, path) + moves.of(path, worker.site)) / left;
}

}  // namespace

std::optional<NodeId> most_useful(const PathEntry& path, std::span<const std::optional<NodeId>> some,
                                  const Fleet& fleet, const MoveTimes& moves) {
  std::optional<NodeId> best;
  Seconds least{};
  for (const auto& each : some) {
    if (!each) continue;
    const Seconds step = a_step(path, fleet.workers().at(*each), fleet, moves);
    if (best && step >= (1 - Speeds::kSame) * least) continue;
    best = each;
    least = step;
  }
  return best;
}

}  // namespace dipaco
