#include "core/roles/modules/shares.hpp"

#include "core/outer/outer_gradient.hpp"
#include "core/plan/giving.hpp"
#include "core/plan/regions.hpp"

namespace dipaco {

void Shares::learn(const ShardSizes& sizes) {
  const bool equal = plan_.config.outer.weighting != "shard_size";
  sizes_.emplace(sizes.phase, equal ? plan_.shard_weights : sizes.sizes);
}

std::vector<PathId> Shares::contributors(ModuleId module, Version version) const {
  std::vector<PathId> paths = plan_.topology.paths_through(module);
  if (plan_.policy.rounds) {
    std::erase_if(paths, [&](PathId path) { return !gives(plan_, path, OuterStep{number(version)}); });
  }
  return paths;
}

std::map<PathId, double> Shares::of_regions(ModuleId global) const {
  const std::vector<ModuleId>& parts = plan_.topology.regional_parts(global);
  std::map<PathId, double> shares;
  for (const ModuleId part : parts) shares[region_contributor(plan_, part)] = 1.0 / static_cast<double>(parts.size());
  return shares;
}

std::map<PathId, double> Shares::of(ModuleId module, Version version) const {
  if (plan_.topology.is_global(module)) return of_regions(module);
  const auto known = sizes_.find(plan_.policy.rounds ? plan_.timetable.phase_of(OuterStep{number(version)}) : 0);
  if (known == sizes_.end()) return {};
  const auto paths = contributors(module, version);
  std::vector<double> sizes;
  for (const PathId path : paths) sizes.push_back(known->second[static_cast<std::size_t>(index(path))]);
  std::map<PathId, double> shares;
  if (paths.empty()) return shares;
  const auto weights = path_weights(sizes);
  for (std::size_t k = 0; k < paths.size(); ++k) shares[paths[k]] = weights[k];
  return shares;
}

}  // namespace dipaco
