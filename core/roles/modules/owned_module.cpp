#include "core/roles/modules/owned_module.hpp"

#include <algorithm>

#include "core/plan/regions.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {

bool expects_next(const RunPlan& plan, NodeId sender, OuterStep outer_step) {
  return sender != NodeId{-1} && version_after(outer_step) < plan.timetable.end();
}

Version merged_version(const RunPlan& plan, ModuleId module, const OwnedModule& mine) {
  if (!plan.topology.is_regional(module)) return {};
  return Version{number(mine.contributions.settled(region_contributor(plan, module)))};
}

void AwaitedVersions::lost(NodeId node) {
  const auto is_of = [node](const auto& awaited) { return awaited.first == node; };
  std::erase_if(asked, is_of);
  std::erase_if(expected, is_of);
}

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

void OwnedModule::hear(const NobodyElse& word) {
  if (!here || word.version != version || word.epoch != epoch) return;
  if (!word.agreed) {
    asked = word;
  } else if (!contributions.empty()) {
    contributions.only_those_in_hand();
  }
}

std::optional<NobodyElse> OwnedModule::waits() {
  if (!asked || asked->version != version) return std::nullopt;
  const bool all = std::ranges::all_of(asked->tasks, [this](const TaskId& task) {
    return contributions.contains(task.path) || contributions.settled(task.path) > task.outer_step;
  });
  return all ? std::exchange(asked, std::nullopt) : std::nullopt;
}

void OwnedModule::lost(NodeId node) {
  awaited.lost(node);
  receivers.erase(node);
  contributions.lost(node);
}

void OwnedModule::heard_of(Version newest) {
  heard = std::max(heard, newest);
  unheard.erase(unheard.begin(), unheard.upper_bound(heard));
}

std::vector<HeldModule> OwnedModule::tell_earlier(ModuleId module) {
  std::vector<HeldModule> earlier;
  const auto is_out = [this](Version each) { return each < version && (out || each <= announced); };
  for (auto each = unheard.upper_bound(told); each != unheard.end() && is_out(each->first); ++each) {
    earlier.push_back({.module = module, .version = each->first, .epoch = epoch, .dropped = each->second.dropped});
    std::vector<SettledPath>& settled = earlier.back().settled;
    for (const Applied& one : each->second.applied) settled.push_back({one.path, next(one.outer_step)});
    for (const Dropped& one : each->second.dropped) settled.push_back({one.path, next(one.outer_step)});
  }
  if (!earlier.empty()) told = earlier.back().version;
  return earlier;
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
  told = version;
  news.all = false;
  news.settled.clear();
  news.dropped.clear();
  return ready;
}

AwaitedVersions::Set OwnedModule::take_expected(const RunPlan& plan) {
  for (const NodeId node : receivers) awaited.expected.emplace(node, version);
  for (const auto& [what, weight, sender, came] : contributions.take()) {
    if (expects_next(plan, sender, what.outer_step)) awaited.expected.emplace(sender, next(what.base));
  }
  return std::move(awaited.expected);
}

ModuleState OwnedModule::state() const { return {version, update, settled(), parameters, velocity}; }

}  // namespace dipaco
