#include "backends/loopback/flights.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace dipaco {

void LoopbackFlights::send(NodeId from, NodeId to, Message message) {
  clock_.run_due();
  LoopbackNode& sender = nodes_.at(from);
  LoopbackNode& receiver = nodes_.at(to);
  sender.known.insert(to);
  receiver.known.insert(from);
  const Seconds now = clock_.now();
  Flight flight{{from, now, std::move(message)}, to, sender.incarnation, std::max(receiver.incarnation, 0)};
  flight.to_lost = !receiver.up && !receiver.untold && receiver.incarnation >= 0;
  if (from == to) return nodes_.deliver(to, std::move(flight.envelope));
  Seconds arrival = now;
  if (arrival < sender.delayed_until) arrival += sender.delay;
  arrival = std::max(arrival, sender.last_arrival);
  if (arrival <= now) return post(std::move(flight));
  sender.last_arrival = arrival;
  // An event is copied, a message is not: it waits where the event finds it.
  clock_.at(arrival, [this, late = std::make_shared<Flight>(std::move(flight))] { post(std::move(*late)); });
}

void LoopbackFlights::post(Flight flight) {
  const NodeId from = flight.envelope.from;
  const LoopbackNode& sender = nodes_.at(from);
  if (!sender.up || sender.incarnation != flight.from_incarnation) return;  // it goes with its sender
  switch (cuts_.line(from, flight.to)) {
    case LoopbackCuts::Line::open:
      return arrive(std::move(flight));
    case LoopbackCuts::Line::held:
      return held_.push_back(std::move(flight));
    case LoopbackCuts::Line::lost:
      return nodes_.deliver(from, PeerLost{flight.to});
  }
}

void LoopbackFlights::arrive(Flight flight) {
  const LoopbackNode& receiver = nodes_.at(flight.to);
  const bool there = receiver.up && !receiver.frozen_out;
  if (there ? receiver.incarnation == flight.to_incarnation : receiver.incarnation < 0) {
    // Not there yet: it will find the message.
    nodes_.deliver(flight.to, std::move(flight.envelope));
  } else if (flight.to_lost || (!there && !receiver.untold)) {
    nodes_.deliver(flight.envelope.from, PeerLost{flight.to});
  }
  // Else the sender has heard of the loss, or will.
}

void LoopbackFlights::cut(NodeId node, std::optional<NodeId> peer, Seconds lasting, Seconds limit) {
  const Seconds now = clock_.now();
  const std::uint64_t number = cuts_.add(node, peer);
  if (lasting > limit) clock_.at(now + limit, [=, this] { break_off(number); });
  clock_.at(now + lasting, [=, this] { mend(number); });
}

void LoopbackFlights::break_off(std::uint64_t number) {
  cuts_.lose(number);
  std::erase_if(held_, [&](const Flight& flight) { return cuts_.covers(number, flight.envelope.from, flight.to); });
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const NodeId one{static_cast<std::int32_t>(k)};
    for (const NodeId other : nodes_.at(one).known) {
      if (one < other && cuts_.covers(number, one, other)) nodes_.lose_each_other(one, other);
    }
  }
}

void LoopbackFlights::mend(std::uint64_t number) {
  cuts_.mend(number);
  for (Flight& flight : std::exchange(held_, {})) post(std::move(flight));
}

}  // namespace dipaco
