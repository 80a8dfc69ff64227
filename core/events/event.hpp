#pragma once

#include <cstdint>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// What nodes are there for.
enum class Role : std::uint8_t { coordinator, worker, executor, store, evaluator };
const char* name(Role role);

/// What happened. Every report is made from these alone (docs/reading-the-output.md).
enum class EventKind : std::uint8_t {
  node_up,               ///< node
  node_down,             ///< node: it is gone or frozen
  notice,                ///< node: it will be gone soon
  task_queued,           ///< path, outer_step: its own modules are ready
  task_assigned,         ///< node (worker), path, outer_step, attempt; value = its inner steps, where tasks differ
  task_started,          ///< node, ...: all inputs are there, the inner steps begin
  task_computed,         ///< node, ...: inner_steps were done by this attempt, value = the sum of their losses
  task_handed_back,      ///< node, ...: after a notice, inner_steps are kept
  notice_too_short,      ///< node, ...: inner_steps are lost, since no store would have had them in time
  task_committed,        ///< node, ...: the store has acknowledged
  task_requeued,         ///< node (that was lost), ...: attempt ended without a commit
  module_stepped,        ///< node (executor), module, version: it is out; value = norm of the outer gradient
  contribution_applied,  ///< node (executor), module, version that it is in, path, outer_step; value = its staleness,
                         ///< in versions, begin = when it came. Without rounds alone: there nothing is ever late
  contribution_dropped,  ///< the same, but version = the newest that was out
  evaluation_started,    ///< node, path, version
  evaluation_done,       ///< node, path, version
  fitting_started,       ///< node, version with which the phase begins: of a router
  fitting_done,          ///< node, version
  routing_started,       ///< node, version (the same): of some documents
  routing_done,          ///< node, version
  remaking_started,      ///< node (worker), path, outer_step: of a gradient that was lost, by doing its inner step once
                         ///< more
  remaking_done,         ///< node, path, outer_step
  state_refused,         ///< node (worker), path, outer_step, attempt: a value of the state that it made is not finite
  worker_set_aside,      ///< node: too many of its states were refused; it is given nothing more
  worker_slow,           ///< node: its inner steps take value times as long as they should
  worker_recovered,      ///< node: not any more
  worker_in_reserve,  ///< node: free, but an outer step would end later with it; value = seconds that a task takes it
  worker_called_up,   ///< node: from reserve, to a task
  message_refused,    ///< from `peer` to `node`: it names what does not exist in this run; message kind in `detail`
  transfer,  ///< from `peer` to `node`: begin..time, bytes, message kind in `detail`; of messages with values only
};
const char* name(EventKind kind);
/// Whether a node begins a job with this, what it does beside training; and whether it ends one.
constexpr bool begins_job(EventKind kind) {
  return kind == EventKind::evaluation_started || kind == EventKind::fitting_started ||
         kind == EventKind::routing_started || kind == EventKind::remaking_started;
}
constexpr bool ends_job(EventKind kind) {
  return kind == EventKind::evaluation_done || kind == EventKind::fitting_done || kind == EventKind::routing_done ||
         kind == EventKind::remaking_done;
}

/// One event. Fields that a kind does not name are left at their defaults.
struct Event {
  Seconds time{};  ///< on the run's clock
  EventKind kind{};
  std::uint8_t detail = 0;   ///< MessageKind of a transfer, or of a message_refused
  std::int16_t attempt = 0;  ///< of a task, from 1
  NodeId node{};
  NodeId peer{-1};
  PathId path{-1};
  ModuleId module{-1, -1};
  OuterStep outer_step = kNoOuterStep;
  std::int32_t version = -1;
  std::int32_t inner_steps = 0;
  Seconds begin{};          ///< of a transfer: when it was sent; of a contribution: when it came
  std::uint64_t bytes = 0;  ///< of a transfer: what the network was charged
  double value = 0;         ///< as its kind says
};

}  // namespace dipaco
