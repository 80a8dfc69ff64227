#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/coordinator/known/run_state.hpp"
#include "core/storage/memory_storage.hpp"
#include "tests/support/made_up_run.hpp"
#include "tests/support/set_clock.hpp"

namespace dipaco::testing {

/// Keeps what is sent. Nothing comes in.
class KeptMessages : public Transport {
 public:
  NodeId self() const override { return NodeId{0}; }
  std::int32_t incarnation() const override { return 0; }
  void send(NodeId to, Message message) override { sent.emplace_back(to, std::move(message)); }
  std::optional<Incoming> receive(Seconds /*timeout*/) override { return std::nullopt; }
  InMotion in_motion() const override { return motion; }

  /// Those of one kind, with who gets them, which are then forgotten with all others.
  template <class T>
  std::vector<std::pair<NodeId, T>> take() {
    std::vector<std::pair<NodeId, T>> taken;
    for (const auto& [to, message] : std::exchange(sent, {})) {
      if (const auto* body = std::get_if<T>(&message.body)) taken.emplace_back(to, *body);
    }
    return taken;
  }

  std::vector<std::pair<NodeId, Message>> sent;
  InMotion motion;
};

/// What a coordinator knows of a run that learns nothing, without the coordinator: for tests of its parts.
struct KnownRun {
  explicit KnownRun(MadeUpRun& made)
      : plan(made.plan_of_costs()),
        run(plan, {transport, clock, storage, log, archive}, {.executors = 1, .stores = 2}) {}

  /// A node is there, on a machine of its own.
  void add(int node, Role role, SiteId site = SiteId{0}) {
    run.members.add(NodeId{node}, {.role = role, .site = site, .machine = "m" + std::to_string(node), .speed = 1});
  }
  /// The executor is there and holds all modules.
  void own_all(int executor) {
    add(executor, Role::executor);
    run.ownership.executor_up(NodeId{executor}, "m" + std::to_string(executor), {});
    run.ownership.settle();
    for (const ModuleId module : run.ownership.modules()) {
      run.ownership.ready(NodeId{executor}, {module, Version{0}, run.ownership.owner(module).epoch});
    }
  }

  RunPlan plan;
  KeptMessages transport;
  SetClock clock;
  MemoryStorage storage;
  MemoryEventLog log;
  NoArchive archive;
  RunState run;
};

}  // namespace dipaco::testing
