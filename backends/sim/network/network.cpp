#include "backends/sim/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/simix.hpp>
#include <utility>

#include "backends/sim/engine/clock.hpp"
#include "core/base/error.hpp"

namespace dipaco {
namespace {

Bytes arrived(const Transfer& transfer) {
  if (transfer.flow == nullptr) return Bytes{0};
  const auto left = static_cast<std::uint64_t>(std::ceil(std::max(0.0, transfer.flow->get_remaining())));
  return transfer.envelope.message.wire_size - Bytes{std::min(left, transfer.envelope.message.wire_size.value)};
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
  InMotion in_motion() const override {
    InMotion motion{.under_way = network_.under_way(self_)};
    if (self_ == kCoordinator) motion.in_turns = network_.lines_.in_turns();
    return motion;
  }
  std::optional<Incoming> receive(Seconds timeout) override { return network_.inboxes_[self_].receive(timeout); }

 private:
  SimNetwork& network_;
  NodeId self_;
  std::int32_t incarnation_;
};

SimNetwork::SimNetwork(const std::vector<simgrid::s4u::Host*>& hosts, LineOptions lines,
                       const SimNetworkOptions& options, Alarms& alarms, LinkUse& links)
    : inboxes_(hosts.size(), alarms),
      delays_(hosts.size()),
      pairs_(hosts, links),
      reach_(links),
      lines_(std::move(lines), options.limit, alarms, lines_hooks()),
      transfers_(options, {alarms, links, reach_, inboxes_, lines_}, [this](Pair& pair) { partings_.part(pair); }),
      partings_({alarms, links, pairs_, reach_, inboxes_, transfers_, lines_}, options.limit),
      incarnations_(pairs_, inboxes_, alarms, options.limit) {}

LinesHooks SimNetwork::lines_hooks() {
  return {.send = [this](NodeId from, NodeId to, Message message) { post(from, to, std::move(message)); },
          .go = [this](NodePair pair) { transfers_.go_on(pairs_.of(pair.from, pair.to)); },
          .reaches_keeper = [this](NodeId node) { return up(kCoordinator) && !pairs_.of(node, kCoordinator).parted; }};
}

void SimNetwork::post(NodeId from, NodeId to, Message message) {
  if (!up(from) || !up(to)) return;
  Pair& pair = pairs_.of(from, to);
  if (pair.parted) return;
  transfers_.post(pair, {from, clock_now(), std::move(message)});
}

std::unique_ptr<Transport> SimNetwork::connect(NodeId node) {
  check(up(node), "a node connects once its incarnation has begun");
  return std::make_unique<SimTransport>(*this, node, incarnation(node));
}

void SimNetwork::lose(NodeId node) {
  if (!up(node)) return;
  reach_.let_in(node);
  delays_[node] = {};
  for (const NodeId peer : pairs_.known(node)) {
    for (Pair* const pair : {pairs_.find(node, peer), pairs_.find(peer, node)}) {
      if (pair == nullptr) continue;
      transfers_.lose(*pair);
      pair->parted = false;
    }
  }
  incarnations_.end(node);
  for (const NodeId peer : pairs_.known(node)) lines_.drop({peer, node});
  lines_.lost(node);
}

std::vector<UnderWay> SimNetwork::under_way(NodeId node) const {
  std::vector<UnderWay> all;
  for (const NodeId peer : pairs_.known(node)) {
    for (const bool incoming : {false, true}) {
      const Pair* const pair = incoming ? pairs_.find(peer, node) : pairs_.find(node, peer);
      if (pair == nullptr) continue;
      for (const Transfer* const transfer : pair->transfers) {
        const Message& message = transfer->envelope.message;
        all.push_back(
            {peer, incoming, message.kind(), message.wire_size, arrived(*transfer), transfer->envelope.sent.count()});
      }
    }
  }
  return all;
}

void SimNetwork::stop() {
  simgrid::kernel::actor::simcall_answered([this] { transfers_.stop(); });
}

void SimNetwork::thaw(NodeId node) {
  reach_.let_in(node);
  inboxes_[node].thaw();
}

void SimNetwork::send(NodeId from, NodeId to, Message message) {
  Pair& pair = pairs_.of(from, to);
  if (!up(to)) {
    // Who knew the node hears of its loss in time; afterwards each message is answered by one.
    if (!incarnations_.untold(to)) inboxes_[from].push(PeerLost{to});
    return;
  }
  if (pair.parted) {
    if (reach_.blocked(pair)) return inboxes_[from].push(PeerLost{to});
    partings_.join(pair);
  }
  const Seconds now = clock_now();
  const Delay& delay = delays_[from];
  transfers_.send(pair, {from, now, std::move(message)}, now < delay.until ? delay.by : Seconds(0));
}

}  // namespace dipaco
