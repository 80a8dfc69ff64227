#include "backends/gloo/status_source.hpp"

#include <algorithm>
#include <utility>

namespace dipaco {
namespace {

void add(QueueStatus& queue, const UnderWay& message, Seconds now) {
  ++queue.messages;
  queue.left += Bytes{message.size.value - std::min(message.arrived.value, message.size.value)};
  if (message.since > 0) queue.oldest = std::max(queue.oldest, now - Seconds(message.since));
}

}  // namespace

StatusSource::StatusSource(const RunPlan& plan, std::vector<const GlooNode*> nodes)
    : plan_(plan), nodes_(std::move(nodes)) {}

void StatusSource::note(const RunProgress& progress) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
}

void StatusSource::note_finished() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  progress_.waiting_for.clear();
  progress_.late.clear();
  progress_.slow_workers.clear();
  progress_.in_reserve.clear();
  progress_.sent_elsewhere.clear();
}

void StatusSource::add_queues(Status& status, const GlooNode& node) {
  const MemberList& known = node.network().known();
  for (const UnderWay& message : node.network().in_motion().under_way) {
    if (message.incoming) continue;
    add(status.queues[{known.site_of(node.id()), known.site_of(message.peer)}], message, node.now());
  }
}

void StatusSource::add_queues_elsewhere(Status& status, const GlooNode& coordinator) const {
  const MemberList& known = coordinator.network().known();
  for (const auto& [from, message] : progress_.sent_elsewhere) {
    if (std::ranges::find(nodes_, from, &GlooNode::id) != nodes_.end()) continue;
    add(status.queues_elsewhere[{known.site_of(from), known.site_of(message.peer)}], message, coordinator.now());
  }
}

Status StatusSource::status() {
  const std::lock_guard lock(mutex_);
  Status status{.run_name = plan_.config.name,
                .progress = progress_,
                .outer_steps = plan_.config.outer.steps,
                .waiting_for = progress_.waiting_for,
                .finished = finished_};
  const GlooNode* knows = nodes_.front();
  for (const GlooNode* node : nodes_) {
    status.roles.push_back(node->role());
    add_queues(status, *node);
    for (const StalledStream& stream : node->network().stalled()) {
      status.stalled.push_back({node->id(), stream.peer, stream.times, stream.last, stream.at});
    }
    if (node->role() == Role::coordinator) knows = node;
  }
  status.progress.now = knows->now();
  for (const Member& member : knows->members()) {
    status.members.push_back(status_of(member));
    status.members.back().since = knows->since(member);
  }
  if (knows->role() == Role::coordinator) add_coordinator(status, *knows);
  return status;
}

void StatusSource::add_coordinator(Status& status, const GlooNode& coordinator) const {
  add_queues_elsewhere(status, coordinator);
  const ReportBook& reports = coordinator.books().reports;
  const auto sent = reports.traffic_by_node();
  for (const auto& [node, traffic] : sent) status.traffic += traffic;
  for (MemberStatus& member : status.members) {
    const auto found = sent.find(member.id);
    if (found == sent.end()) continue;
    member.sent = found->second.wan;
    member.sent += found->second.lan;
    member.messages = found->second.messages;
  }
  status.inner_steps_useful = status.progress.inner_steps;
  status.step_tokens = plan_.config.inner.batch * plan_.config.model.sequence;
  const std::int64_t computed = reports.inner_steps_computed();
  status.states_refused = reports.count_of(EventKind::state_refused);
  status.messages_refused = reports.count_of(EventKind::message_refused);
  status.inner_steps_lost = std::max<std::int64_t>(0, computed - status.inner_steps_useful);
}

}  // namespace dipaco
