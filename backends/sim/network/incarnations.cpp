#include "backends/sim/network/incarnations.hpp"

namespace dipaco {

Incarnations::Incarnations(const Pairs& pairs, ByNode<SimInbox>& inboxes, Alarms& alarms, Seconds limit)
    : pairs_(pairs), inboxes_(inboxes), alarms_(alarms), limit_(limit), nodes_(inboxes.size()) {}

void Incarnations::begin(NodeId id) {
  if (untold(id)) tell(id);
  ++nodes_[id].number;
  inboxes_[id].open();
}

void Incarnations::end(NodeId id) {
  inboxes_[id].close();
  nodes_[id].untold = true;
  alarms_.after(limit_, [this, id, ended = number(id)] {
    if (number(id) == ended && untold(id)) tell(id);
  });
}

void Incarnations::tell(NodeId lost) {
  nodes_[lost].untold = false;
  for (const NodeId peer : pairs_.known(lost)) {
    if (peer != lost) inboxes_[peer].push(PeerLost{lost});
  }
}

}  // namespace dipaco
