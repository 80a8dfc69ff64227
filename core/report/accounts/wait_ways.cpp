#include "core/report/accounts/wait_ways.hpp"

#include <algorithm>
#include <map>

#include "core/events/traffic.hpp"

namespace dipaco {
namespace {

/// One wait of a node, those of each by when they began.
struct Wait {
  AwaitedMessages of;
  Seconds reach{};             ///< the latest end of it and of those before
  Seconds came = Seconds(-1);  ///< the last message until now
};

/// Which wait a message of this kind may end; coordinate: none.
WaitStage stage_of(MessageKind kind) {
  switch (kind) {
    case MessageKind::module:
    case MessageKind::path_state:
      return WaitStage::fetch;
    case MessageKind::put_path_state:
      return WaitStage::commit;
    case MessageKind::outer_gradient:
    case MessageKind::relayed_gradient:
    case MessageKind::gradient_sum:
      return WaitStage::exchange;
    default:
      return WaitStage::coordinate;
  }
}

bool is_of(const AwaitedMessages& wait, WaitStage stage, const Event& event) {
  if (wait.stage != stage || event.time > wait.end) return false;
  if (stage == WaitStage::commit) return wait.path == event.path;
  return stage == WaitStage::fetch || wait.module == event.module;
}

}  // namespace

void find_ways(std::vector<AwaitedMessages> all, const std::vector<Event>& events) {
  std::ranges::stable_sort(all, {}, &AwaitedMessages::begin);
  std::map<NodeId, std::vector<Wait>> by_node;
  for (const AwaitedMessages& one : all) {
    std::vector<Wait>& waits = by_node[one.node];
    waits.push_back({one, waits.empty() ? one.end : std::max(waits.back().reach, one.end)});
  }
  for (const Event& event : events) {
    if (event.kind != EventKind::transfer) continue;
    const WaitStage stage = stage_of(static_cast<MessageKind>(event.detail));
    if (stage == WaitStage::coordinate) continue;
    const auto found = by_node.find(stage == WaitStage::commit ? event.peer : event.node);
    if (found == by_node.end()) continue;
    const auto begin_of = [](const Wait& wait) { return wait.of.begin; };
    auto wait = std::ranges::upper_bound(found->second, event.time, {}, begin_of);
    while (wait != found->second.begin() && (--wait)->reach >= event.time) {
      if (!is_of(wait->of, stage, event) || event.time < wait->came) continue;
      wait->came = event.time;
      *wait->of.way = {event.peer, event.node};
    }
  }
}

}  // namespace dipaco
