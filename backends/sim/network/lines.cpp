#include "backends/sim/network/lines.hpp"

#include <utility>
#include <variant>

#include "backends/sim/engine/clock.hpp"

namespace dipaco {

Lines::Lines(LineOptions options, Seconds limit, Alarms& alarms, LinesHooks hooks)
    : options_(std::move(options)), limit_(limit), alarms_(alarms), hooks_(std::move(hooks)) {
  turns_.reserve(options_.sites.size());
  for (std::size_t k = 0; k < options_.sites.size(); ++k) turns_.push_back(begin(NodeId{static_cast<std::int32_t>(k)}));
}

LineTurns Lines::begin(NodeId node) {
  return {clock_now(), [this, node](Message message) { hooks_.send(node, kCoordinator, std::move(message)); }};
}

/// What goes to or from the coordinator does not: the words about turns are behind it, between the same two nodes.
bool Lines::takes_turns(NodePair pair, const Message& message) const {
  if (turns_.empty() || pair.from == kCoordinator || pair.to == kCoordinator) return false;
  return site(pair.from) != site(pair.to) && urgency_of(message);
}

bool Lines::ask(NodePair pair, const Message& message) {
  if (!takes_turns(pair, message)) return true;
  LineTurns& turns = turns_of(pair.from);
  const Urgency urgency = options_.rounds ? *urgency_of(message) : Urgency{};
  if (turns.ask(pair.to, site(pair.to), urgency, message.wire_size, clock_now())) return true;
  if (!hooks_.reaches_keeper(pair.from)) release(pair.from);
  return false;
}

void Lines::arrived(NodePair pair, const Message& message) {
  if (takes_turns(pair, message)) turns_of(pair.from).over(pair.to, clock_now());
}

void Lines::drop(NodePair pair) {
  if (!turns_.empty()) turns_of(pair.from).drop(pair.to, clock_now());
}

void Lines::parted(NodePair pair) {
  if (turns_.empty()) return;
  drop(pair);
  if (pair.to != kCoordinator) return;
  tell(keeper_.lost(pair.from, clock_now()));
  release(pair.from);
}

void Lines::lost(NodeId node) {
  if (turns_.empty()) return;
  turns_of(node) = begin(node);
  if (node != kCoordinator) return tell(keeper_.lost(node, clock_now()));
  keeper_ = {};
  alarms_.after(limit_, [this] {
    for (std::size_t k = 0; k < turns_.size(); ++k) release(NodeId{static_cast<std::int32_t>(k)});
  });
}

bool Lines::take(NodePair pair, const Message& message) {
  if (const auto* const turn = std::get_if<Turn>(&message.body)) {
    if (turns_of(pair.to).turn(turn->to)) hooks_.go({pair.to, turn->to});
  } else if (const auto* const asked = std::get_if<AskForTurn>(&message.body)) {
    tell(keeper_.ask({pair.from, asked->to}, {site(pair.from), site(asked->to)}, *asked, clock_now()));
  } else if (const auto* const over = std::get_if<TurnOver>(&message.body)) {
    tell(keeper_.over({pair.from, over->to}, over->arrived, clock_now()));
  } else {
    return false;
  }
  return true;
}

void Lines::tell(const std::vector<NodePair>& turns) {
  for (const NodePair pair : turns) hooks_.send(kCoordinator, pair.from, make_message(Turn{pair.to}));
}

void Lines::release(NodeId node) {
  for (const NodeId to : turns_of(node).unanswered()) hooks_.go({node, to});
}

}  // namespace dipaco
