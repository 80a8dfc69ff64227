#include "backends/loopback/nodes.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace dipaco {

LoopbackNode& LoopbackNodes::alive(NodeId id, std::int32_t incarnation) {
  LoopbackNode& node = at(id);
  if (!node.up || node.incarnation != incarnation || clock_.stuck()) throw NodeKilled{};
  return node;
}

LoopbackNode& LoopbackNodes::begin(NodeId node) {
  LoopbackNode& joined = at(node);
  check(!joined.up, "a node is connected once at a time");
  if (joined.untold) tell_loss(node);
  if (joined.incarnation >= 0) joined.inbox.clear();
  joined.urgent.begin_anew();
  joined.frozen_until = joined.delayed_until = {};
  joined.frozen_out = false;
  joined.up = true;
  ++joined.incarnation;
  return joined;
}

void LoopbackNodes::deliver(NodeId to, Incoming incoming) {
  at(to).urgent.came(incoming);
  at(to).inbox.push_back(std::move(incoming));
  clock_.wake(thread_of(to));
}

void LoopbackNodes::lose(NodeId node) {
  LoopbackNode& gone = at(node);
  gone.up = false;
  if (gone.incarnation < 0) gone.incarnation = 0;
  gone.inbox.clear();
  gone.urgent.begin_anew();
  clock_.wake(thread_of(node));
}

void LoopbackNodes::tell_loss(NodeId node) {
  at(node).untold = false;
  for (const NodeId peer : at(node).known) {
    if (peer != node && at(peer).up) deliver(peer, PeerLost{node});
  }
}

void LoopbackNodes::lose_each_other(NodeId a, NodeId b) {
  if (a == b || !at(a).up || !at(b).up) return;
  deliver(a, PeerLost{b});
  deliver(b, PeerLost{a});
}

}  // namespace dipaco
