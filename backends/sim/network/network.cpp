#include "backends/sim/network/network.hpp"

#include <algorithm>
#include <simgrid/simix.hpp>
#include <utility>

#include "backends/sim/engine/clock.hpp"
#include "core/base/error.hpp"
#include "core/transport/large.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;
using simgrid::kernel::actor::simcall_answered;

namespace {

std::uint64_t pair_key(NodeId from, NodeId to) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(index(from))) << 32 |
         static_cast<std::uint32_t>(index(to));
}

}  // namespace

class SimTransport : public Transport {
 public:
  SimTransport(SimNetwork& network, NodeId self, std::int32_t incarnation)
      : network_(network), self_(self), incarnation_(incarnation) {}
  NodeId self() const override { return self_; }
  std::int32_t incarnation() const override { return incarnation_; }
  void send(NodeId to, Message message) override {
    network_.hold(self_);
    network_.send(self_, to, std::move(message));
  }
  std::optional<Incoming> receive(Seconds timeout) override { return network_.inboxes_[self_].receive(timeout); }

 private:
  SimNetwork& network_;
  NodeId self_;
  std::int32_t incarnation_;
};

SimNetwork::SimNetwork(std::vector<sg::Host*> hosts, const SimNetworkOptions& options, Alarms& alarms, LinkUse& links)
    : inboxes_(hosts.size(), alarms), nodes_(hosts.size()), options_(options), alarms_(alarms), links_(links) {
  for (std::size_t i = 0; i < hosts.size(); ++i) nodes_[i].host = hosts[i];
  sg::Activity::on_completion_cb([this](const sg::Activity& flow) { flow_ended(flow); });
  sg::Link::on_state_change_cb([this](const sg::Link& link) { link_changed(link); });
}

SimNetwork::~SimNetwork() = default;

std::unique_ptr<Transport> SimNetwork::connect(NodeId node) {
  check(up(node), "a node connects once its incarnation has begun");
  return std::make_unique<SimTransport>(*this, node, node_of(node).incarnation);
}

void SimNetwork::revive(NodeId id) {
  if (node_of(id).loss_untold) tell_loss(id);
  ++node_of(id).incarnation;
  inboxes_[id].open();
}

void SimNetwork::lose(NodeId id) {
  Node& node = node_of(id);
  if (!up(id)) return;
  inboxes_[id].close();
  node.frozen_out = false;
  node.delayed_until = {};
  for (const NodeId peer : node.known) {
    for (const std::uint64_t key : {pair_key(id, peer), pair_key(peer, id)}) {
      const auto pair = pairs_.find(key);
      if (pair == pairs_.end()) continue;
      cancel_all(pair->second);
      pair->second.parted = false;
    }
  }
  node.loss_untold = true;
  alarms_.after(options_.limit, [this, id, incarnation = node.incarnation] {
    if (node_of(id).incarnation == incarnation && node_of(id).loss_untold) tell_loss(id);
  });
}

void SimNetwork::tell_loss(NodeId lost) {
  node_of(lost).loss_untold = false;
  for (const NodeId peer : node_of(lost).known) {
    if (peer != lost) inboxes_[peer].push(PeerLost{lost});
  }
}

void SimNetwork::stop() {
  simcall_answered([this] {
    stopped_ = true;
    for (Transfer& transfer : slots_) {
      if (transfer.serial != 0) cancel(transfer);
    }
  });
}

Pair& SimNetwork::pair_of(NodeId from, NodeId to) {
  const auto [found, added] = pairs_.try_emplace(pair_key(from, to));
  Pair& pair = found->second;
  if (!added) return pair;
  pair.from = from;
  pair.to = to;
  pair.local = node_of(from).host == node_of(to).host;
  if (!pair.local) pair.route = links_.route(*node_of(from).host, *node_of(to).host);
  node_of(from).known.insert(to);
  node_of(to).known.insert(from);
  return pair;
}

void SimNetwork::send(NodeId from, NodeId to, Message message) {
  Pair& pair = pair_of(from, to);
  if (!up(to)) {
    // Who knew the node hears of its loss in time; afterwards each message is answered by one.
    if (!node_of(to).loss_untold) inboxes_[from].push(PeerLost{to});
    return;
  }
  const bool closed = blocked(pair);
  if (pair.parted) {
    if (closed) return inboxes_[from].push(PeerLost{to});
    pair.parted = pair_of(to, from).parted = false;
  }
  const Seconds now = clock_now();
  const bool late = now < node_of(from).delayed_until;
  const Bytes size = message.wire_size;
  Envelope envelope{from, now, std::move(message)};
  if (pair.local && !closed && !late && pair.order.empty()) return inboxes_[to].push(std::move(envelope));
  if (!pair.local) links_.count(pair.route, size);
  Transfer& transfer = take_slot(pair);
  transfer.envelope = std::move(envelope);
  transfer.number = pair.order.next_number();
  if (late) return start_at(now + node_of(from).delay, transfer);
  simcall_answered([this, &transfer, serial = transfer.serial] {
    if (transfer.serial == serial) start(transfer);
  });
}

Transfer& SimNetwork::take_slot(Pair& pair) {
  if (free_.empty()) {
    free_.push_back(&slots_.emplace_back());
  }
  Transfer& transfer = *free_.back();
  free_.pop_back();
  transfer.serial = ++serial_;
  transfer.pair = &pair;
  transfer.place = pair.transfers.size();
  pair.transfers.push_back(&transfer);
  return transfer;
}

void SimNetwork::free(Transfer& transfer) {
  auto& siblings = transfer.pair->transfers;
  siblings.back()->place = transfer.place;
  std::swap(siblings[transfer.place], siblings.back());
  siblings.pop_back();
  transfer.serial = 0;
  transfer.broken.reset();
  transfer.flow = nullptr;
  transfer.envelope = {};
  free_.push_back(&transfer);
}

void SimNetwork::cancel(Transfer& transfer) {
  const sg::CommPtr flow = transfer.flow;
  Pair& pair = *transfer.pair;
  pair.turns.leave(transfer);
  free(transfer);
  if (flow == nullptr) return;
  flow->set_data(nullptr);
  flow->cancel();
  forget(flow);
}

/// What is on its way between the two is lost.
void SimNetwork::cancel_all(Pair& pair) {
  while (!pair.transfers.empty()) cancel(*pair.transfers.back());
  pair.order.lose();
}

void SimNetwork::forget(sg::CommPtr flow) {
  forgotten_.push_back(std::move(flow));
  sweep_later();
}

void SimNetwork::sweep_later() {
  if (sweeping_ || stopped_) return;
  sweeping_ = true;
  alarms_.after(options_.limit, [this] {
    sweeping_ = false;
    long_forgotten_ = std::exchange(forgotten_, {});
    if (!long_forgotten_.empty()) sweep_later();
  });
}

void SimNetwork::start_at(Seconds time, Transfer& transfer) {
  alarms_.at(time, [this, &transfer, serial = transfer.serial] {
    if (transfer.serial == serial) start(transfer);
  });
}

void SimNetwork::start(Transfer& transfer) {
  if (stopped_) return;
  const Pair& pair = *transfer.pair;
  // A flow that begins on a broken route would fail without a word.
  if (blocked(pair)) return retry_or_part(transfer);
  if (pair.local) return arrived(transfer);
  if (!its_turn(transfer)) return;
  transfer.broken.reset();
  transfer.flow = sg::Comm::sendto_init(node_of(pair.from).host, node_of(pair.to).host);
  transfer.flow->set_payload_size(transfer.envelope.message.wire_size.value);
  transfer.flow->set_data(&transfer);
  transfer.flow->start();
}

bool SimNetwork::its_turn(Transfer& transfer) {
  return transfer.envelope.message.wire_size <= kLargestSmall || transfer.pair->turns.ask(transfer);
}

void SimNetwork::flow_ended(const sg::Activity& flow) {
  auto* const transfer = flow.get_data<Transfer>();
  if (transfer == nullptr || stopped_ || transfer->flow.get() != &flow) return;
  ended_ = std::exchange(transfer->flow, nullptr);
  if (flow.get_state() == sg::Activity::State::FINISHED) {
    links_.look(transfer->pair->route);
    arrived(*transfer);
  } else {
    forget(ended_);
    retry_or_part(*transfer);
  }
}

void SimNetwork::arrived(Transfer& transfer) {
  Pair& pair = *transfer.pair;
  const std::uint64_t number = transfer.number;
  Envelope envelope = std::move(transfer.envelope);
  if (Transfer* const next = pair.turns.pass(transfer)) start_at(clock_now(), *next);
  free(transfer);
  Inbox& inbox = inboxes_[pair.to];
  pair.order.arrive(number, std::move(envelope), [&](Envelope next) { inbox.push(std::move(next)); });
}

void SimNetwork::retry_or_part(Transfer& transfer) {
  const Seconds now = clock_now();
  if (!transfer.broken) transfer.broken = now;
  const Seconds end = *transfer.broken + options_.limit;
  if (now < end) {
    start_at(std::min(now + options_.retry, end), transfer);
  } else {
    part(*transfer.pair);
  }
}

}  // namespace dipaco
