#include "core/queue/open_contributors.hpp"

#include <algorithm>

namespace dipaco {
namespace {

bool is_open(const PathEntry& path, OuterStep outer_step) {
  if (path.outer_step != outer_step) return path.outer_step < outer_step;
  return path.phase == PathEntry::Phase::waiting || path.phase == PathEntry::Phase::queued;
}

}  // namespace

std::vector<std::int32_t> OpenContributors::of(PathId path) {
  std::vector<std::int32_t> open;
  for (std::int32_t l = 0; l < topology_.levels(); ++l) {
    open.push_back(of(topology_.module(path, l), paths_.at(path).outer_step));
  }
  std::ranges::sort(open);
  return open;
}

std::int32_t OpenContributors::of(ModuleId module, OuterStep outer_step) {
  const auto [counted, is_new] = counted_.emplace(std::pair(module, outer_step), 0);
  if (is_new) {
    counted->second = static_cast<std::int32_t>(std::ranges::count_if(
        topology_.paths_through(module), [&](PathId other) { return is_open(paths_.at(other), outer_step); }));
  }
  return counted->second;
}

}  // namespace dipaco
