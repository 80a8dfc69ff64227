#include "core/transport/line_keeper.hpp"

namespace dipaco {

std::vector<NodePair> LineKeeper::ask(NodePair pair, Line line, const AskForTurn& message, Seconds now) {
  std::vector<NodePair> turns = over(pair, false, now);
  Queue& queue = lines_[line];
  const Waiting waiting{message.urgency, ages_++, pair};
  queue.waiting.insert(waiting);
  asked_[pair] = {line, waiting, Bytes{message.size}};
  for (const NodePair next : go_on(queue)) turns.push_back(next);
  return turns;
}

std::vector<NodePair> LineKeeper::over(NodePair pair, bool arrived, Seconds now) {
  const auto found = asked_.find(pair);
  if (found == asked_.end()) return {};
  const Asked asked = found->second;
  asked_.erase(found);
  Queue& queue = lines_[asked.line];
  if (asked.going) {
    --queue.going;
    if (arrived) queue.width.arrived(asked.size, now, !queue.waiting.empty());
  } else {
    queue.waiting.erase(asked.waiting);
  }
  return go_on(queue);
}

std::vector<NodePair> LineKeeper::lost(NodeId node, Seconds now) {
  std::vector<NodePair> turns;
  while (true) {
    const auto first = asked_.lower_bound({node, NodeId{0}});
    if (first == asked_.end() || first->first.from != node) return turns;
    for (const NodePair next : over(first->first, false, now)) {
      if (next.from != node) turns.push_back(next);
    }
  }
}

std::vector<NodeId> LineKeeper::concerned() const {
  std::vector<NodeId> nodes;
  for (const auto& [pair, asked] : asked_) {
    nodes.push_back(pair.from);
    nodes.push_back(pair.to);
  }
  return nodes;
}

std::vector<NodePair> LineKeeper::go_on(Queue& queue) {
  std::vector<NodePair> turns;
  while (queue.going < queue.width.at_once() && !queue.waiting.empty()) {
    const NodePair pair = queue.waiting.begin()->pair;
    queue.waiting.erase(queue.waiting.begin());
    asked_.at(pair).going = true;
    ++queue.going;
    turns.push_back(pair);
  }
  return turns;
}

}  // namespace dipaco
