#include "core/coordinator/tables/ownership.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {

Ownership::Ownership(const Topology& topology, std::vector<std::uint64_t> sizes, std::int64_t replicas)
    : sizes_(std::move(sizes)), copies_(static_cast<std::size_t>(replicas - 1)) {
  for (const ModuleId module : topology.modules()) {
    if (!topology.path_specific(module)) entries_[module].owner.module = module;
  }
}

std::vector<Owner> Ownership::executor_up(NodeId node, const std::string& machine, const std::vector<HeldModule>& held,
                                          std::int32_t incarnation) {
  executors_[node] = machine;
  const auto known = incarnations_.emplace(node, incarnation).first;
  if (known->second < incarnation) {
    known->second = incarnation;
    for (auto& [module, entry] : entries_)
      entry.anew = entry.anew || (entry.owner.executor == NodeId{-1} && entry.last == node);
  }
  const std::set<ModuleId> before = drop_held(node);
  std::set<ModuleId> still_owned;
  std::vector<Owner> taken_back;
  for (const HeldModule& has : held) {
    const auto found = entries_.find(has.module);
    if (found == entries_.end()) continue;
    Entry& entry = found->second;
    hold(node, has.module).push_back(has.version);
    // What it says that it owns may have been meant for the process before it.
    if (entry.anew || has.epoch == 0 || entry.owner.epoch != has.epoch) continue;
    if (entry.owner.executor == NodeId{-1} && entry.last == node) {
      entry.owner.executor = node;
      taken_back.push_back(entry.owner);
    }
    if (entry.owner.executor != node) continue;
    still_owned.insert(has.module);
    entry.confirmed = true;
  }
  // It began anew: what it had in memory is gone.
  for (const ModuleId module : before) {
    if (!still_owned.contains(module)) disown(node, module);
  }
  return taken_back;
}

void Ownership::store_up(NodeId node, const std::string& machine, const std::vector<HeldModule>& held) {
  stores_[node] = machine;
  drop_held(node);
  for (const HeldModule& has : held) {
    if (entries_.contains(has.module)) hold(node, has.module).push_back(has.version);
  }
}

void Ownership::gone(NodeId node) {
  executors_.erase(node);
  stores_.erase(node);
  for (const ModuleId module : drop_held(node)) disown(node, module);
}

/// The versions of the module that the node has.
std::vector<Version>& Ownership::hold(NodeId node, ModuleId module) {
  of_node_[node].insert(module);
  return entries_.at(module).held[node];
}

/// Nothing is known any more to be at the node. @returns the modules that it had a version of, or owned
std::set<ModuleId> Ownership::drop_held(NodeId node) {
  const auto found = of_node_.extract(node);
  if (found.empty()) return {};
  for (const ModuleId module : found.mapped()) {
    Entry& entry = entries_.at(module);
    entry.held.erase(node);
    if (entry.owner.executor == node) of_node_[node].insert(module);
  }
  return found.mapped();
}

/// The module has no owner any more, if it was the node.
void Ownership::disown(NodeId node, ModuleId module) {
  Entry& entry = entries_.at(module);
  if (entry.owner.executor != node) return;
  entry.last = node;
  entry.owner.executor = NodeId{-1};
  entry.confirmed = false;
}

void Ownership::restore(const Owner& owner, bool still_there) {
  Entry& entry = entries_.at(owner.module);
  entry.owner = owner;
  entry.last = owner.executor;
  if (!still_there) entry.owner.executor = NodeId{-1};
  if (still_there) of_node_[owner.executor].insert(owner.module);
}

Ownership::Changes Ownership::settle() {
  Changes changes;
  // Largest modules first, each to the executor with the least: nobody owns much more than another.
  std::vector<ModuleId> order = modules();
  const auto size = [&](ModuleId m) { return sizes_[static_cast<std::size_t>(m.level)]; };
  std::stable_sort(order.begin(), order.end(), [&](ModuleId a, ModuleId b) { return size(a) > size(b); });
  for (const ModuleId module : order) {
    Entry& entry = entries_.at(module);
    const NodeId before = entry.owner.executor;
    // At version 0 all that has to be sent again is outer gradients that have come already.
    const bool comes_back = entry.version == Version{0} && choice_.stands_in(before, executors_);
    if (comes_back) give(entry, executor_for(module), NodeId{-1});
    if (comes_back) changes.executors.insert({before, entry.owner.executor});
    const bool adopted = comes_back || (before == NodeId{-1} && adopt(entry));
    if (adopted) changes.owners.push_back(entry.owner);
    const bool other_source = !adopted && !entry.confirmed && entry.owner.executor != NodeId{-1} &&
                              entry.source != NodeId{-1} && !stores_.contains(entry.source) && adopt(entry);
    if (other_source) changes.owners.push_back(entry.owner);
    const bool other_copies = choose_copies(module, entry);
    changes.any_without = changes.any_without || entry.owner.executor == NodeId{-1};
    if (adopted || other_source || other_copies) changes.executors.insert(entry.owner.executor);
  }
  changes.executors.erase(NodeId{-1});
  return changes;
}

bool Ownership::adopt(Entry& entry) {
  const auto has = [&](NodeId node) {
    const auto held = entry.held.find(node);
    return held != entry.held.end() && std::ranges::any_of(held->second, [&](Version version) {
             return may_begin_with(version, entry.version, entry.owner.epoch + 1);
           });
  };
  const bool first_time = entry.owner.epoch == 0;
  if (executors_.contains(entry.last) && (has(entry.last) || entry.version == Version{0})) {
    give(entry, entry.last, NodeId{-1});
    return true;
  }
  for (const auto& [executor, machine] : executors_) {
    if (first_time || !has(executor)) continue;
    give(entry, executor, NodeId{-1});
    return true;
  }
  if (executors_.empty()) return false;
  if (entry.version == Version{0}) {
    give(entry, executor_for(entry.owner.module), NodeId{-1});
    return true;
  }
  for (const auto& [store, machine] : stores_) {
    if (!has(store)) continue;
    give(entry, executor_for(entry.owner.module), store);
    return true;
  }
  return false;
}

void Ownership::give(Entry& entry, NodeId executor, NodeId source) {
  const bool first_time = entry.owner.epoch == 0;
  entry.owner.executor = executor;
  of_node_[executor].insert(entry.owner.module);
  ++entry.owner.epoch;
  entry.source = source;
  entry.anew = false;
  entry.confirmed = first_time;  // it has the prepared start, like everyone
}

bool Ownership::choose_copies(ModuleId module, Entry& entry) const {
  const auto owner = executors_.find(entry.owner.executor);
  if (owner == executors_.end()) return false;
  const std::string& machine = owner->second;
  std::vector<NodeId> fit;
  for (const auto& [store, place] : stores_) {
    if (place != machine) fit.push_back(store);
  }
  // One of the owner's machine is better than none: it outlives the owner's process.
  if (fit.empty()) {
    for (const auto& [store, place] : stores_) fit.push_back(store);
  }
  // Modules begin at different stores, so that no store has all copies.
  if (!fit.empty()) {
    const auto shift = static_cast<std::size_t>(module.level + module.expert) % fit.size();
    std::rotate(fit.begin(), fit.begin() + static_cast<std::ptrdiff_t>(shift), fit.end());
  }
  std::vector<NodeId> copies;
  const auto take = [&](NodeId store) {
    const bool chosen = std::find(copies.begin(), copies.end(), store) != copies.end();
    if (copies.size() < copies_ && !chosen) copies.push_back(store);
  };
  for (const NodeId store : entry.copies) {
    if (std::find(fit.begin(), fit.end(), store) != fit.end()) take(store);
  }
  for (const NodeId store : fit) take(store);
  if (copies == entry.copies) return false;
  entry.copies = std::move(copies);
  return true;
}

NodeId Ownership::executor_for(ModuleId module) const {
  const bool any_will_do =
      std::ranges::none_of(executors_, [&](const auto& executor) { return choice_.prefers(executor.first); });
  std::map<NodeId, std::uint64_t> loads;
  for (const auto& [executor, machine] : executors_) {
    if (any_will_do || choice_.prefers(executor)) loads[executor] = 0;
  }
  std::uint64_t all = 0;
  for (const auto& [each, entry] : entries_) {
    const std::uint64_t size = sizes_[static_cast<std::size_t>(each.level)];
    all += size;
    if (const auto owner = loads.find(entry.owner.executor); owner != loads.end()) owner->second += size;
  }
  return choice_.best(module, loads, loads.empty() ? 0 : all / loads.size());
}

bool Ownership::ready(NodeId from, const ModuleReady& message) {
  const auto found = entries_.find(message.module);
  if (found == entries_.end()) return false;
  Entry& entry = found->second;
  if (entry.owner.executor != from || entry.owner.epoch != message.epoch) return false;
  entry.confirmed = true;
  entry.version = std::max(entry.version, message.version);
  hold(from, message.module) = {message.version};
  for (const NodeId store : message.copies) {
    if (stores_.contains(store)) hold(store, message.module) = {message.version};
  }
  return true;
}

std::vector<OwnModule> Ownership::list(NodeId executor) const {
  std::vector<OwnModule> owned;
  for (const auto& [module, entry] : entries_) {
    if (entry.owner.executor != executor) continue;
    owned.push_back({module, entry.owner.epoch, entry.version, entry.source, entry.copies});
  }
  return owned;
}

std::vector<ModuleId> Ownership::modules() const {
  std::vector<ModuleId> modules;
  for (const auto& [module, entry] : entries_) modules.push_back(module);
  return modules;
}

}  // namespace dipaco
