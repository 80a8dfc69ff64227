#include "core/coordinator/module_owners.hpp"

#include <utility>
#include <vector>

namespace dipaco {

void ModuleOwners::ready(NodeId from, const ModuleReady& message) {
  if (!run_.ownership.ready(from, message)) return;
  if (message.version > run_.queue.module_version(message.module)) {
    run_.ledger.note(ModuleRecord{message.module, message.version});
    run_.made_progress();
  }
  for (const PathId path : run_.queue.module_ready(message.module, message.version, run_.now())) {
    run_.record(EventKind::task_queued, path, NodeId{-1});
  }
  for (const PathId path : run_.plan.topology.paths_through(message.module)) evaluations_.want_reached(path);
  evaluations_.note_end();
  model_.ask_again();  // another owner than the one that was asked
}

void ModuleOwners::executor_up(NodeId node, const Hello& hello) {
  for (const auto& [phase, sizes] : run_.resharding.sizes()) run_.send(node, run_.resharding.sizes(phase));
  run_.ownership.executor_up(node, hello.machine, hello.modules);
  for (const HeldModule& held : hello.modules) {
    if (held.epoch > 0) ready(node, {held.module, held.version, held.epoch});
  }
  if (!run_.awaited.started()) return;
  settle();  // what it has may be what a module waited for
  if (run_.awaited.heard_of_all(run_.now())) send_list(node);
}

void ModuleOwners::settle() {
  if (!run_.awaited.heard_of_all(run_.now())) return;
  Ownership::Changes changes = run_.ownership.settle();
  if (!std::exchange(told_, true)) {
    const auto& executors = run_.members.with(Role::executor);
    changes.executors.insert(executors.begin(), executors.end());
  }
  send_owners(changes);
}

void ModuleOwners::send_owners(const Ownership::Changes& changes) {
  std::vector<Owner> again;
  for (const Owner& owner : changes.owners) {
    run_.ledger.note(owner);
    if (owner.epoch == 1) continue;  // the first owner: nothing was sent to another
    again.push_back(owner);
    doubts_.owner_changed(owner.module);
  }
  for (const NodeId executor : changes.executors) {
    if (run_.members.contains(executor)) send_list(executor);
  }
  if (again.empty()) return;
  for (const Role role : {Role::evaluator, Role::worker}) {
    for (const NodeId node : run_.members.with(role)) run_.send(node, Owners{again});
  }
}

void ModuleOwners::send_list(NodeId executor) {
  run_.send(executor, OwnModules{run_.ownership.list(executor), run_.retention.released()});
}

}  // namespace dipaco
