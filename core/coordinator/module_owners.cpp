#include "core/coordinator/module_owners.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/coordinator/known/measurements.hpp"

namespace dipaco {

void ModuleOwners::ready(NodeId from, const ModuleReady& message) {
  note_ways(run_, from, message.ways);
  if (!run_.ownership.ready(from, message)) return;
  deadlocks_.forget(message.module);
  note(message);
  for (const PathId path : run_.queue.module_ready(message.module, message.version, message.settled, run_.now())) {
    run_.record(EventKind::task_queued, path, NodeId{-1}, 0);
  }
  if (message.version == Version{1}) places_.note(message.module);
  for (const SettledPath& each : message.settled) doubts_.settled(message.module, each.path);
  for (const PathId path : run_.plan.topology.paths_through(message.module)) evaluations_.want_reached(path);
  evaluations_.parts().note(message.module);
  bases_.keep(message.module, evaluations_.parts());
  evaluations_.note_end();
  model_.ask_again();  // another owner than the one that was asked
}

/// Journals what is news of a module's version and of contributions to it.
void ModuleOwners::note(const ModuleReady& message) {
  const ModuleVersions& modules = run_.queue.modules();
  const auto unknown = [&](PathId path, OuterStep outer_step) {
    return outer_step > modules.settled(message.module, path);
  };
  ModuleRecord record{message.module, message.version};
  for (const SettledPath& each : message.settled) {
    if (unknown(each.path, each.outer_step)) record.settled.push_back(each);
  }
  for (const Dropped& each : message.dropped) {
    if (unknown(each.path, next(each.outer_step))) record.dropped.push_back(each);
  }
  if (message.version <= modules.version(message.module) && record.settled.empty()) return;
  run_.note_order(record);
  run_.ledger.note(record);
  run_.made_progress();
}

void ModuleOwners::executor_up(NodeId node, const Hello& hello) {
  for (const auto& [phase, sizes] : run_.resharding.sizes()) run_.send(node, run_.resharding.sizes(phase));
  const std::vector<Owner> taken_back =
      run_.ownership.executor_up(node, hello.machine, hello.modules, hello.incarnation);
  for (const Owner& owner : taken_back) bases_.forget(owner.module);
  places_.note();
  for (const HeldModule& held : hello.modules) {
    if (held.epoch > 0) ready(node, {held.module, held.version, held.epoch, {}, held.settled, held.dropped});
  }
  if (!run_.awaited.started()) return;
  for (const Owner& owner : taken_back) doubts_.owner_changed(owner.module, false);
  tell(taken_back);
  evaluations_.parts().executor_up(node);
  settle();  // what it has may be what a module waited for
  if (!run_.awaited.heard_of_all(run_.now())) return;
  send_list(node);
  evaluations_.parts().tell_owners();
  evaluations_.parts().end();
}

void ModuleOwners::settle() {
  if (!run_.awaited.heard_of_all(run_.now())) return;
  places_.prefer();
  Ownership::Changes changes = run_.ownership.settle();
  const bool anew = !std::exchange(told_, true);
  if (anew) {
    const auto& executors = run_.members.with(Role::executor);
    changes.executors.insert(executors.begin(), executors.end());
  }
  if (!changes.executors.empty() || changes.any_without) places_.note();
  send_owners(changes);
  if (!anew && changes.owners.empty()) return;
  evaluations_.parts().tell_owners();
  evaluations_.parts().end();
}

void ModuleOwners::send_owners(const Ownership::Changes& changes) {
  std::vector<Owner> again;
  for (const Owner& owner : changes.owners) {
    run_.ledger.note(owner);
    if (owner.epoch == 1) continue;  // the first owner: nothing was sent to another
    again.push_back(owner);
    doubts_.owner_changed(owner.module, true);
  }
  for (const NodeId executor : changes.executors) {
    if (run_.members.contains(executor)) send_list(executor);
  }
  tell(again);
}

void ModuleOwners::tell(const std::vector<Owner>& owners) {
  if (owners.empty()) return;
  for (const Role role : {Role::evaluator, Role::worker}) {
    for (const NodeId node : run_.members.with(role)) run_.send(node, Owners{owners});
  }
}

/// With what is settled: a drop may be in no version yet.
void ModuleOwners::send_list(NodeId executor) {
  OwnModules own{run_.ownership.list(executor), run_.retention.released()};
  for (OwnModule& each : own.modules) {
    for (const auto& [path, outer_step] : run_.queue.modules().settled(each.module)) {
      each.settled.push_back({path, outer_step});
    }
  }
  run_.send(executor, std::move(own));
}

}  // namespace dipaco
