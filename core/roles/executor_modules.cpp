#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/plan/regions.hpp"
#include "core/roles/contribution_events.hpp"
#include "core/roles/executor.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

using Settled = std::map<PathId, OuterStep>;

/// Of paths: what merges into a part of a region is settled besides.
Settled settled_in(const RunPlan& plan, const ModuleState& state) {
  Settled settled;
  for (const auto& [path, outer_step] : state.settled) {
    if (is_path(plan, path)) settled[path] = outer_step;
  }
  return settled;
}

/// Whether `later` was made of this version: all that it settles beyond is what made it.
bool led_to(const RunPlan& plan, const ModuleState& state, const ModuleState& later) {
  Settled settled = settled_in(plan, state);
  for (const Applied& each : later.update.applied) settled[each.path] = next(each.outer_step);
  for (const Dropped& each : later.update.dropped) settled[each.path] = next(each.outer_step);
  std::erase_if(settled, [&](const auto& each) { return !is_path(plan, each.first); });
  return settled == settled_in(plan, later);
}

/// An earlier process, or an owner before, may have made several versions while the coordinator was away. What lies
/// here of them is told; a file that is damaged, or of another owner's version, ends it: nobody needs it any more.
void recall_unheard(const RunPlan& plan, const ModuleFiles& files, ModuleId module, OwnedModule& mine) {
  if (mine.version <= mine.heard) return;
  mine.unheard[mine.version] = mine.update;
  const std::vector<Version> kept = files.versions(module);
  try {
    ModuleState later = files.read(module, mine.version);
    for (auto each = kept.rbegin(); each != kept.rend() && each->number > mine.heard.number; ++each) {
      if (each->number + 1 != later.version.number || each->owner > later.version.owner) continue;
      ModuleState state = files.read(module, *each);
      if (!led_to(plan, state, later)) continue;
      mine.unheard[*each] = state.update;
      later = std::move(state);
    }
  } catch (const DataError&) {
    return;
  }
}

}  // namespace

void Executor::say(Hello& hello) {
  hello.modules = files_.held();
  for (auto& [module, mine] : modules_) {
    mine.news.all = true;
    mine.told = mine.heard;
    for (HeldModule& each : mine.tell_earlier(module)) hello.modules.push_back(std::move(each));
    if (!mine.out) continue;
    hello.modules.push_back({module, mine.version, mine.epoch, mine.settled(), mine.late_drops()});
    mine.told = mine.version;
  }
}

/// Tells the coordinator that the module's version is out, and what has become of contributions.
void Executor::announce(ModuleId module, Module& mine) {
  for (HeldModule& each : mine.tell_earlier(module)) {
    ModuleReady earlier{.module = module, .version = each.version, .epoch = each.epoch};
    earlier.settled = std::move(each.settled);
    earlier.dropped = std::move(each.dropped);
    seams_.transport.send(kCoordinator, make_message(std::move(earlier)));
  }
  ModuleReady ready = mine.tell(module);
  ready.ways = presence_.take_ways();
  seams_.transport.send(kCoordinator, make_message(std::move(ready)));
}

void Executor::take(const OwnModules& own) {
  files_.release(own.released);
  std::map<ModuleId, Module> kept;
  for (const OwnModule& each : own.modules) {
    const auto known = modules_.find(each.module);
    if (known == modules_.end()) continue;
    if (known->second.epoch == each.epoch) {
      kept.insert(modules_.extract(known));
    } else {
      requests_.expect(each.module, known->second.take_expected(plan_));
    }
  }
  modules_ = std::move(kept);
  errands_.keep_only(modules_);
  for (const OwnModule& each : own.modules) {
    const auto known = modules_.find(each.module);
    if (known == modules_.end()) {
      begin(each);
      continue;
    }
    Module& mine = known->second;
    mine.heard_of(each.version);
    const auto has = [](const std::vector<NodeId>& stores, NodeId store) {
      return std::find(stores.begin(), stores.end(), store) != stores.end();
    };
    std::erase_if(mine.unstored, [&](NodeId store) { return !has(each.copies, store); });
    for (const NodeId store : each.copies) {
      if (!has(mine.copies, store) && mine.version > Version{0}) mine.unstored.insert(store);
    }
    std::erase_if(mine.supplied, [&](NodeId store) { return !has(each.copies, store); });
    mine.copies = each.copies;
    if (!mine.here) continue;
    errands_.put_copies(each.module, mine);
    publish_if_durable(each.module, mine);
    // A hello does not say which stores have copies.
    if (mine.out && mine.news.all && !mine.copies.empty()) announce(each.module, mine);
  }
  take_early();
}

void Executor::begin(const OwnModule& own) {
  Module& mine = modules_[own.module];
  mine.epoch = early_.told[own.module] = own.epoch;
  mine.announced = own.version;
  mine.heard = own.version;
  mine.copies = own.copies;
  mine.awaited = requests_.take(own.module, own.epoch);
  for (const auto& [path, outer_step] : own.settled) mine.contributions.settle(path, outer_step);
  if (const auto newest = mine.begins_with(files_.versions(own.module))) return load(own.module, *newest);
  mine.source = own.source;
  if (own.source == NodeId{-1}) {
    check(own.version == Version{0}, "a module that has stepped comes from where it is");
    return load(own.module, Version{0});
  }
  errands_.run(modules_);
}

/// The module is here at `version`: it is put to stores that must have it, and is out once they do.
void Executor::load(ModuleId module, Version version) {
  Module& mine = modules_.at(module);
  mine.source = NodeId{-1};
  mine.here = true;
  mine.contributions.made(seams_.compute.now());
  mine.version = version;
  mine.parameters = start_module(plan_, module);
  mine.velocity = make_values(start_velocity(plan_, module), velocity_factor(plan_, module) * mine.parameters.charged);
  if (version > Version{0}) {
    const ModuleState state = files_.read(module, version);
    mine.parameters = state.parameters;
    mine.velocity = state.velocity;
    mine.update = state.update;
    for (const auto& [path, outer_step] : state.settled) mine.contributions.settle(path, outer_step);
    mine.unstored = {mine.copies.begin(), mine.copies.end()};
    if (!plan_.policy.rounds) recall_unheard(plan_, files_, module, mine);
  }
  mine.sum = stepper_.empty_sum(module, mine.parameters);
  errands_.put_copies(module, mine);
  publish_if_durable(module, mine);
  take_early();
}

void Executor::take_copy(NodeId from, const ModuleCopy& copy) {
  const auto found = modules_.find(copy.module);
  if (found == modules_.end() || found->second.epoch != copy.epoch || found->second.here) return;
  files_.keep(copy.module, {copy.version, copy.update, copy.settled, copy.parameters, copy.velocity});
  if (!copy.last) return;
  errands_.taken(from, copy.module);
  const auto newest = found->second.begins_with(files_.versions(copy.module));
  if (!newest) {
    // Without rounds what later owners have made is nothing to begin with: it is another's by now, as in stored().
    const auto by_later = [&](Version version) { return version.owner > copy.epoch; };
    check(std::ranges::any_of(files_.versions(copy.module), by_later),
          "a store that is named has the newest version that is out, or what owners have made since");
    modules_.erase(found);
    return;
  }
  load(copy.module, *newest);
}

void Executor::stored(NodeId from, const ModuleStored& answer) {
  const auto found = modules_.find(answer.module);
  if (found == modules_.end() || found->second.epoch != answer.epoch) return;
  Module& mine = found->second;
  if (!answer.accepted) {
    modules_.erase(found);  // it is another's by now; who lacks it hears so from the coordinator
    return;
  }
  errands_.stored(from, answer.module, answer.version);
  if (answer.version != mine.version) return;
  mine.unstored.erase(from);
  mine.supplied.insert(from);
  if (mine.out && mine.unstored.empty()) {
    // A copy of what is out already: another owner may be found by it.
    announce(answer.module, mine);
  }
  publish_if_durable(answer.module, mine);
}

void Executor::publish_if_durable(ModuleId module, Module& mine) {
  if (mine.out || !mine.unstored.empty()) return;
  mine.out = true;
  if (const Version before = std::exchange(mine.announced, mine.version); mine.version > before) {
    seams_.log.record({.time = seams_.compute.now(),
                       .kind = EventKind::module_stepped,
                       .node = seams_.transport.self(),
                       .module = module,
                       .version = number(mine.version),
                       .value = mine.update.norm});
    tell_applied(plan_, seams_, module, mine, before);
  }
  announce(module, mine);
  for (const auto& [node, version] : std::exchange(mine.awaited.asked, {})) {
    if (version == mine.version) {
      mine.receivers.insert(node);
    } else {
      requests_.serve(modules_, node, {module, version, mine.epoch});
    }
  }
  std::erase_if(mine.awaited.expected, [&](const auto& expected) {
    if (expected.second > mine.version) return false;
    mine.receivers.insert(expected.first);
    return true;
  });
  for (const NodeId node : std::exchange(mine.receivers, {})) {  // by id: the same order on every run
    seams_.transport.send(node, make_message(ModuleValues{module, mine.version, mine.epoch, mine.parameters}));
  }
  if (stepper_.skips(module, mine.version)) step(module, mine, 1);
}

}  // namespace dipaco
