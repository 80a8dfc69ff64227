#include <algorithm>
#include <utility>

#include "backends/sim/engine/clock.hpp"
#include "backends/sim/network/network.hpp"

// How messages come into a simulated node's inbox, and how its actor waits for them.

namespace dipaco {

namespace sg = simgrid::s4u;

void SimNetwork::push(NodeId to, Incoming incoming) {
  Node& node = node_of(to);
  if (!node.up) return;
  node.inbox.push_back(std::move(incoming));
  if (!node.frozen) wake(node);
}

void SimNetwork::wake(Node& node) {
  if (!node.waiting) return;
  node.waiting = false;
  const sg::SemaphorePtr arrived = node.arrived;
  arrived->release();
}

void SimNetwork::hold(NodeId self) {
  Node& node = node_of(self);
  const sg::SemaphorePtr arrived = node.arrived;
  while (node.frozen) {
    node.waiting = true;
    arrived->acquire();
  }
}

// Not by Semaphore::acquire_timeout: SimGrid 3.32 aborts where its actor is killed at the moment at which it ends.
void SimNetwork::wake_in_time(Node& node) {
  if (node.alarm && node.alarm_time <= node.give_up) return;
  if (node.alarm) alarms_.cancel(*node.alarm);
  node.alarm_time = node.give_up;
  node.alarm = alarms_.at(node.give_up, [this, &node] {
    node.alarm.reset();
    if (!node.waiting || node.give_up < Seconds(0)) return;
    if (clock_now() < node.give_up) return wake_in_time(node);
    if (!node.frozen) wake(node);
  });
}

std::optional<Incoming> SimNetwork::receive(NodeId self, Seconds timeout) {
  Node& node = node_of(self);
  const sg::SemaphorePtr arrived = node.arrived;
  const bool for_ever = timeout < Seconds(0);
  // Who waits for the rest of a rounded difference would wait for ever: a wait lets the clock go on.
  constexpr Seconds kTick{1e-6};
  const Seconds until = clock_now() + (timeout > Seconds(0) ? std::max(timeout, kTick) : timeout);
  for (hold(self); node.inbox.empty(); hold(self)) {
    if (!for_ever && clock_now() >= until) return std::nullopt;
    node.give_up = for_ever ? Seconds(-1) : until;
    node.waiting = true;  // first: whoever comes in between leaves a token
    if (!for_ever) wake_in_time(node);
    arrived->acquire();
    node.waiting = false;
  }
  Incoming incoming = std::move(node.inbox.front());
  node.inbox.pop_front();
  return incoming;
}

}  // namespace dipaco
