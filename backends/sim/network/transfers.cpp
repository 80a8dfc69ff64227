#include "backends/sim/network/transfers.hpp"

#include <algorithm>
#include <simgrid/simix.hpp>
#include <utility>

#include "backends/sim/engine/clock.hpp"
#include "core/transport/large.hpp"

namespace dipaco {

using simgrid::kernel::actor::simcall_answered;

namespace {

bool is_large(const Transfer& transfer) { return transfer.envelope.message.wire_size > kLargestSmall; }

NodePair nodes_of(const Pair& pair) { return {pair.from, pair.to}; }

void tell_times(Transfer& transfer, LinkUse& links) {
  if (!is_large(transfer)) return;
  const Seconds now = clock_now();
  transfer.envelope.took = now - transfer.began;
  transfer.envelope.waited = transfer.began - transfer.envelope.sent;
  links.crossed(transfer.pair->route, transfer.began, now, transfer.envelope.message.wire_size);
}

}  // namespace

Transfers::Transfers(const SimNetworkOptions& options, const TransferParts& parts,
                     std::function<void(Pair& pair)> given_up)
    : options_(options),
      parts_(parts),
      given_up_(std::move(given_up)),
      flows_(parts.alarms, options.limit, [this](Transfer& transfer, bool there) {
        if (!there) return retry_or_give_up(transfer);
        parts_.links.look(transfer.pair->route, clock_now());
        tell_times(transfer, parts_.links);
        arrived(transfer);
      }) {}

void Transfers::send(Pair& pair, Envelope envelope, Seconds delay) {
  if (pair.local() && delay <= Seconds(0) && pair.order.empty() && !parts_.reach.blocked(pair)) {
    return parts_.inboxes[pair.to].push(std::move(envelope));
  }
  Transfer& transfer = add(pair, std::move(envelope));
  if (delay > Seconds(0)) return start_at(transfer.envelope.sent + delay, transfer);
  simcall_answered([this, &transfer, serial = transfer.serial] {
    if (transfer.serial == serial) start(transfer);
  });
}

void Transfers::post(Pair& pair, Envelope envelope) {
  if (stopped_) return;
  if (!pair.local()) parts_.links.count_turns(pair.route, envelope.message.wire_size);
  if (pair.local() && pair.order.empty()) return deliver(pair, std::move(envelope));
  start_at(clock_now(), add(pair, std::move(envelope)));
}

Transfer& Transfers::add(Pair& pair, Envelope envelope) {
  if (!pair.local()) parts_.links.count(pair.route, envelope.message.wire_size);
  Transfer& transfer = slots_.take(pair);
  transfer.envelope = std::move(envelope);
  transfer.number = pair.order.next_number();
  return transfer;
}

void Transfers::go_on(Pair& pair) {
  if (Transfer* const next = pair.turns.now()) start_at(clock_now(), *next);
}

void Transfers::start_at(Seconds time, Transfer& transfer) {
  parts_.alarms.at(time, [this, &transfer, serial = transfer.serial] {
    if (transfer.serial == serial) start(transfer);
  });
}

void Transfers::start(Transfer& transfer) {
  if (stopped_) return;
  const Pair& pair = *transfer.pair;
  if (parts_.reach.blocked(pair)) return retry_or_give_up(transfer);
  if (pair.local()) return arrived(transfer);
  if (!its_turn(transfer)) return;
  transfer.broken.reset();
  transfer.began = clock_now();
  flows_.start(transfer);
}

bool Transfers::its_turn(Transfer& transfer) {
  if (!is_large(transfer)) return true;
  Pair& pair = *transfer.pair;
  return pair.turns.ask(transfer) && parts_.lines.ask(nodes_of(pair), transfer.envelope.message);
}

void Transfers::arrived(Transfer& transfer) {
  Pair& pair = *transfer.pair;
  const std::uint64_t number = transfer.number;
  if (is_large(transfer) && !pair.local()) parts_.lines.arrived(nodes_of(pair), transfer.envelope.message);
  Envelope envelope = std::move(transfer.envelope);
  if (Transfer* const next = pair.turns.pass(transfer)) start_at(clock_now(), *next);
  slots_.free(transfer);
  pair.order.arrive(number, std::move(envelope), [&](Envelope due) { deliver(pair, std::move(due)); });
}

void Transfers::deliver(const Pair& pair, Envelope&& envelope) {
  if (!parts_.inboxes[pair.to].is_open() || parts_.lines.take(nodes_of(pair), envelope.message)) return;
  parts_.inboxes[pair.to].push(std::move(envelope));
}

void Transfers::retry_or_give_up(Transfer& transfer) {
  const Seconds now = clock_now();
  if (!transfer.broken) transfer.broken = now;
  if (transfer.pair->turns.now() == &transfer) parts_.lines.drop(nodes_of(*transfer.pair));
  const Seconds end = *transfer.broken + options_.limit;
  if (now < end) {
    start_at(std::min(now + options_.retry, end), transfer);
  } else {
    given_up_(*transfer.pair);
  }
}

void Transfers::cancel(Transfer& transfer) {
  simgrid::s4u::CommPtr flow = std::exchange(transfer.flow, nullptr);
  transfer.pair->turns.leave(transfer);
  slots_.free(transfer);
  flows_.cancel(std::move(flow));
}

void Transfers::lose(Pair& pair) {
  while (!pair.transfers.empty()) cancel(*pair.transfers.back());
  pair.order.lose();
}

void Transfers::interrupt(Cuts::Id cut) {
  // By number: who loses its turn says so, in a slot more.
  for (std::size_t k = 0; k < slots_.all().size(); ++k) {
    Transfer& transfer = slots_.all()[k];
    if (transfer.serial == 0 || transfer.flow == nullptr) continue;
    if (!parts_.reach.cuts().between(transfer.pair->from, transfer.pair->to, cut)) continue;
    flows_.cancel(std::exchange(transfer.flow, nullptr));
    retry_or_give_up(transfer);
  }
}

void Transfers::stop() {
  stopped_ = true;
  for (Transfer& transfer : slots_.all()) {
    if (transfer.serial != 0) cancel(transfer);
  }
}

}  // namespace dipaco
