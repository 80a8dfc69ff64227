#include "core/faults/board.hpp"

#include <algorithm>

#include "core/faults/parse.hpp"

namespace dipaco {
namespace {

bool at_stage(FaultStage stage, const Moment& moment) {
  if (stage == FaultStage::any || stage == moment.stage) return true;
  return stage == FaultStage::stepping ? moment.stepping : stage == FaultStage::storing && moment.writing;
}

bool strikes(const Fault& fault, const Moment& moment) {
  if (row_of(fault.kind).strikes_writes && !moment.writing) return false;
  if (row_of(fault.kind).sends != nullptr && moment.outside) return false;
  if (fault.time && moment.now < *fault.time) return false;
  if (fault.path && moment.path != *fault.path) return false;
  if (fault.outer_step && moment.outer_step != *fault.outer_step) return false;
  return at_stage(fault.stage, moment);
}

}  // namespace

FaultBoard::FaultBoard(const FaultPlan& plan, std::span<const NodeFacts> nodes) {
  check_targets(plan, nodes);
  for (const Fault& fault : plan) {
    Entry entry{.fault = fault, .node = node_of(fault.target, nodes), .peer = {}};
    if (fault.peer) entry.peer = node_of(*fault.peer, nodes);
    entries_.push_back(entry);
  }
}

bool FaultBoard::concerns(NodeId node) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.node == node; });
}

std::optional<Strike> FaultBoard::take(NodeId node, const Moment& moment) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.struck || entry.node != node || !strikes(entry.fault, moment)) continue;
    entry.struck = true;
    return Strike{entry.fault.kind, entry.peer, entry.fault.lasting};
  }
  return std::nullopt;
}

std::optional<Seconds> FaultBoard::next_time(NodeId node, Seconds now) const {
  const std::lock_guard lock(mutex_);
  std::optional<Seconds> next;
  for (const Entry& entry : entries_) {
    const auto& time = entry.fault.time;
    if (entry.struck || entry.node != node || !time || *time <= now) continue;
    if (!next || *time < *next) next = time;
  }
  return next;
}

FaultPlan FaultBoard::pending() const {
  const std::lock_guard lock(mutex_);
  FaultPlan plan;
  for (const Entry& entry : entries_) {
    if (!entry.struck) plan.push_back(entry.fault);
  }
  return plan;
}

}  // namespace dipaco
