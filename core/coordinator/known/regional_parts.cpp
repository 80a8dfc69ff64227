#include "core/coordinator/known/regional_parts.hpp"

#include <algorithm>
#include <vector>

#include "core/plan/regions.hpp"

namespace dipaco {

RegionalParts::RegionalParts(RunState& run) : run_(run) {
  for (const ModuleId module : run.plan.topology.modules()) {
    if (run.plan.topology.is_regional(module)) cut_[module] = answered_[module] = {};
  }
}

void RegionalParts::tell_owners() {
  std::vector<Owner> owners;
  for (const ModuleId module : run_.plan.topology.modules()) {
    if (run_.plan.topology.is_global(module)) owners.push_back(run_.ownership.owner(module));
  }
  if (owners.empty()) return;
  for (const NodeId node : run_.members.with(Role::executor)) run_.send(node, Owners{owners});
}

void RegionalParts::executor_up(NodeId executor) {
  std::erase_if(told_, [&](const auto& told) { return told.second.executor == executor; });
}

/// Version of a regional part that its merge point was made of.
std::int32_t RegionalParts::merge_point(ModuleId part) const {
  return number(run_.queue.modules().settled(part, region_contributor(run_.plan, part)));
}

/// Whether the global part has the difference from the newest merge point.
bool RegionalParts::has_difference(ModuleId part) const {
  const ModuleId global = run_.plan.topology.whole(part);
  return number(run_.queue.modules().settled(global, region_contributor(run_.plan, part))) > merge_point(part);
}

void RegionalParts::note(ModuleId module) {
  for (auto& [part, cut] : cut_) {
    const ModuleId global = run_.plan.topology.whole(part);
    if (module != part && module != global) continue;
    const ModuleVersions& modules = run_.queue.modules();
    const std::int32_t merged = merge_point(part);
    const bool is_cut = run_.plan.regional_optimizer->is_cut(modules.version(part), Version{merged});
    if (is_cut && cut.merged != merged) cut = {merged, modules.version(part)};
    Noted& answered = answered_.at(part);
    if (has_difference(part) && answered.merged != merged) answered = {merged, modules.version(global)};
  }
}

std::set<Version> RegionalParts::may_be_sent(ModuleId module) const {
  std::set<Version> versions;
  for (const auto& [part, cut] : cut_) {
    const std::int32_t merged = merge_point(part);
    const Noted& answered = answered_.at(part);
    if (part == module && cut.merged == merged && !has_difference(part)) versions.insert(cut.version);
    if (run_.plan.topology.whole(part) == module && answered.merged == merged) versions.insert(answered.version);
  }
  return versions;
}

bool RegionalParts::ended(ModuleId part) const {
  return std::ranges::all_of(run_.plan.topology.paths_through(part),
                             [this](PathId path) { return run_.queue.path(path).phase == PathEntry::Phase::done; });
}

void RegionalParts::end() {
  for (const auto& [part, cut] : cut_) {
    const Owner& owner = run_.ownership.owner(part);
    if (has_difference(part) || !run_.members.contains(owner.executor) || !ended(part)) continue;
    Owner& told = told_[part];
    if (told.executor == owner.executor && told.epoch == owner.epoch) continue;
    told = owner;
    run_.send(owner.executor, LastDifference{part, run_.queue.modules().version(part)});
  }
}

bool RegionalParts::merged() const {
  return std::ranges::all_of(cut_, [this](const auto& entry) { return has_difference(entry.first); });
}

Base result_of(const RunState& run, PathId path) {
  Base base = run.queue.modules().newest(path);
  for (BaseVersion& part : base) {
    part.module = run.plan.topology.whole(part.module);
    part.version = run.queue.modules().version(part.module);
  }
  return base;
}

std::vector<Owner> result_owners(const RunState& run, PathId path) {
  std::vector<Owner> owners = run.owners_of(path);
  for (Owner& owner : owners) owner = run.ownership.owner(run.plan.topology.whole(owner.module));
  return owners;
}

}  // namespace dipaco
