#include "backends/gloo/network/turn_taking.hpp"

#include <utility>
#include <variant>

namespace dipaco {

TurnTaking::TurnTaking(NetworkShared& shared, Links& links)
    : shared_(shared),
      links_(links),
      turns_(steady(), [this](const Message& message) { send(kCoordinator, message); }) {}

TurnHooks TurnTaking::hooks(NodeId with) {
  return {.concerns = [this, with](const Message& message) { return concerns(with, message); },
          .ask = [this, with](const Message& message) { return ask(with, message); },
          .arrived = [this, with] { turns_.over(with, steady()); }};
}

/// What goes to or from the coordinator does not: the words about turns are behind it, on the same link.
bool TurnTaking::concerns(NodeId to, const Message& message) const {
  const NodeId self = shared_.members.self();
  if (!shared_.options.line_turns || to == kCoordinator || self == kCoordinator || !urgency_of(message)) return false;
  return shared_.members.site_of(to) != shared_.members.site_of(self);
}

bool TurnTaking::ask(NodeId to, const Message& message) {
  const Urgency urgency = shared_.options.rounds ? *urgency_of(message) : Urgency{};
  if (turns_.ask(to, shared_.members.site_of(to), urgency, message.wire_size, steady())) return true;
  if (links_.with(kCoordinator) == nullptr) release();
  return false;
}

bool TurnTaking::take(NodeId from, const Message& message) {
  const bool keeps = shared_.options.registry != nullptr;
  if (const auto* const turn = std::get_if<Turn>(&message.body)) {
    if (from == kCoordinator && turns_.turn(turn->to)) go_on(turn->to);
  } else if (const auto* const asked = std::get_if<AskForTurn>(&message.body)) {
    if (!keeps || !shared_.members.find(asked->to)) return true;
    const Line line{shared_.members.site_of(from), shared_.members.site_of(asked->to)};
    tell(keeper_.ask({from, asked->to}, line, *asked, steady()));
  } else if (const auto* const over = std::get_if<TurnOver>(&message.body)) {
    if (keeps) tell(keeper_.over({from, over->to}, over->arrived, steady()));
  } else {
    return false;
  }
  return true;
}

void TurnTaking::ended(NodeId with) {
  turns_.drop(with, steady());
  if (shared_.options.registry != nullptr) return tell(keeper_.lost(with, steady()));
  if (with == kCoordinator) release();
}

void TurnTaking::send(NodeId to, const Message& message) {
  if (to == shared_.members.self()) {
    take(to, message);
  } else if (const auto& session = links_.with(to)) {
    session->send(message);
  }
}

void TurnTaking::tell(const std::vector<NodePair>& turns) {
  for (const NodePair pair : turns) send(pair.from, make_message(Turn{pair.to}));
}

void TurnTaking::release() {
  for (const NodeId to : turns_.unanswered()) go_on(to);
}

/// Later: whoever is about to ask has to be told first that it waits.
void TurnTaking::go_on(NodeId to) {
  asio::post(shared_.io, [this, to] {
    if (const auto& session = links_.with(to)) session->large().go_on();
  });
}

}  // namespace dipaco
