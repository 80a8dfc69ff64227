#include "core/queue/most_useful.hpp"

namespace dipaco {
namespace {

/// Seconds that an inner step of the path's next task takes the worker, with its part of all that a task takes.
Seconds a_step(const PathEntry& path, NodeId node, const Fleet& fleet, const SiteWays& ways) {
  const Fleet::Worker& worker = fleet.workers().at(node);
  const std::int32_t left = fleet.steps_of(worker, path) - path.inner_steps;
  const bool was_its = path.version == 0 || node == path.attempt.worker;
  const Seconds modules = was_its ? Seconds(0) : ways.versions_to(worker.site);
  return (fleet.rest_of(worker, path) + ways.moves().of(path, worker.site) + modules) / left;
}

}  // namespace

std::optional<NodeId> most_useful(const PathEntry& path, std::span<const std::optional<NodeId>> some,
                                  const Fleet& fleet, const SiteWays& ways) {
  std::optional<NodeId> best;
  Seconds least{};
  for (const auto& each : some) {
    if (!each) continue;
    const Seconds step = a_step(path, *each, fleet, ways);
    if (best && step >= (1 - Speeds::kSame) * least) continue;
    best = each;
    least = step;
  }
  return best;
}

}  // namespace dipaco
