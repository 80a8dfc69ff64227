#include "core/transport/line_turns.hpp"

#include <utility>

namespace dipaco {

bool LineTurns::ask(NodeId to, SiteId site, const Urgency& urgency, Bytes size, Seconds now) {
  Peer& peer = peers_[to];
  if (peer.may_go) {
    peer.may_go = false;
    peer.has_turn = true;
    ++peer.going;
    return true;
  }
  if (peer.waits || peer.has_turn) return false;
  if (peer.going == 0) peer.site = site;
  LineLoad& on_the_way = load(peer.site);
  const bool heavy = on_the_way.heavy(now);
  on_the_way.begins(now);
  if (!heavy) {
    ++peer.going;
    return true;
  }
  peer.waits = true;
  tell_(make_message(AskForTurn{to, urgency, size.value}));
  return false;
}

bool LineTurns::turn(NodeId to) {
  Peer& peer = peers_[to];
  if (std::exchange(peer.waits, false)) return peer.may_go = true;
  if (!peer.has_turn && !peer.may_go) tell_(make_message(TurnOver{to}));  // what asked was dropped
  return false;
}

void LineTurns::over(NodeId to, Seconds now) {
  Peer& peer = peers_[to];
  load(peer.site).ends(now);
  if (--peer.going > 0 || !peer.has_turn) return;
  peer.has_turn = false;
  tell_(make_message(TurnOver{to, true}));
}

void LineTurns::drop(NodeId to, Seconds now) {
  const auto found = peers_.find(to);
  if (found == peers_.end()) return;
  const Peer peer = found->second;
  peers_.erase(found);
  for (int i = 0; i < peer.going + (peer.waits || peer.may_go ? 1 : 0); ++i) load(peer.site).ends(now);
  if (peer.waits || peer.may_go || peer.has_turn) tell_(make_message(TurnOver{to}));
}

std::vector<NodeId> LineTurns::unanswered() {
  std::vector<NodeId> all;
  for (auto& [to, peer] : peers_) {
    if (!std::exchange(peer.waits, false)) continue;
    peer.may_go = true;
    all.push_back(to);
  }
  return all;
}

}  // namespace dipaco
