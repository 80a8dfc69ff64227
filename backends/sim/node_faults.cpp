#include "backends/sim/node_faults.hpp"

#include <algorithm>
#include <simgrid/s4u.hpp>
#include <simgrid/simix.hpp>

#include "backends/sim/engine/clock.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;
using simgrid::kernel::actor::simcall_answered;

namespace {

bool is_self(const NodeLife& life) { return life.actor != nullptr && life.actor.get() == sg::Actor::self(); }

}  // namespace

void NodeFaults::end(NodeId node, std::optional<Seconds> back) {
  NodeLife& life = lives_.of(node);
  const bool own = is_self(life);
  simcall_answered([&] {
    if (end_.over() || !network_.up(node)) return;
    const sg::ActorPtr actor = life.actor;
    lives_.go_down(life);
    life.gone = !back;
    if (back) alarms_.after(*back, [this, &life] { lives_.begin_if_possible(life); });
    if (actor != nullptr && !own) actor->kill();
  });
  if (own) sg::this_actor::exit();
}

void NodeFaults::freeze(NodeId node, Seconds lasting) {
  NodeLife& life = lives_.of(node);
  const bool own = is_self(life);
  simcall_answered([&] {
    if (!end_.over() && network_.up(node)) freeze_now(life, lasting);
  });
  if (own) network_.hold(node);
}

void NodeFaults::freeze_now(NodeLife& life, Seconds lasting) {
  const NodeId node = life.node.id;
  network_.freeze(node);
  if (life.compute != nullptr) life.compute->freeze();
  life.frozen_until = std::max(life.frozen_until, clock_now() + lasting);
  const auto same = [this, node, incarnation = network_.incarnation(node)] {
    return network_.up(node) && network_.incarnation(node) == incarnation;
  };
  if (lasting > limit_) {
    lives_.record_down(life);
    alarms_.after(limit_, [this, node, same] {
      if (same()) network_.freeze_out(node);
    });
  }
  alarms_.at(life.frozen_until, [this, &life, same] {
    if (same() && clock_now() >= life.frozen_until) lives_.thaw(life);
  });
}

void NodeFaults::delay(NodeId node, Seconds lasting) { network_.delay(node, lasting, clock_now() + lasting); }

void NodeFaults::cut(NodeId node, std::optional<NodeId> peer, Seconds lasting) {
  simcall_answered([&] {
    if (!end_.over()) network_.cut(node, peer, lasting);
  });
}

}  // namespace dipaco
