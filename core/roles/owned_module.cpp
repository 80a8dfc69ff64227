#include "core/roles/owned_module.hpp"

#include <algorithm>

#include "core/state/path_values.hpp"

namespace dipaco {

std::optional<Version> OwnedModule::begins_with(const std::vector<Version>& versions) const {
  std::optional<Version> newest;
  for (const Version each : versions) {
    if (may_begin_with(each, announced, epoch)) newest = std::max(newest, std::optional(each));
  }
  return newest;
}

std::vector<SettledPath> OwnedModule::settled() const {
  std::vector<SettledPath> all;
  for (const auto& [path, outer_step] : contributions.settled()) all.push_back({path, outer_step});
  return all;
}

std::vector<Dropped> OwnedModule::late_drops() const {
  std::vector<Dropped> all = update.dropped;
  all.insert(all.end(), dropped.begin(), dropped.end());
  return all;
}

ModuleReady OwnedModule::tell(ModuleId module) {
  ModuleReady ready{module, version, epoch};
  for (const NodeId store : copies) {
    if (!unstored.contains(store)) ready.copies.push_back(store);
  }
  if (news.all) {
    ready.settled = settled();
    ready.dropped = late_drops();
  } else {
    for (const PathId path : news.settled) ready.settled.push_back({path, contributions.settled(path)});
    ready.dropped = news.dropped;
  }
  news.all = false;
  news.settled.clear();
  news.dropped.clear();
  return ready;
}

ModuleState OwnedModule::state(const RunPlan& plan) const {
  const bool learned = plan.learner != nullptr;
  return {version, update, settled(), parameters,
          make_values(velocity, velocity_factor(plan) * parameters.charged, learned)};
}

}  // namespace dipaco
