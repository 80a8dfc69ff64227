#include "backends/sim/network/transfers.hpp"

#include <algorithm>
#include <simgrid/simix.hpp>
#include <utility>

#include "backends/sim/engine/clock.hpp"
#include "core/transport/large.hpp"

namespace dipaco {

using simgrid::kernel::actor::simcall_answered;

namespace {

void tell_times(Transfer& transfer) {
  Envelope& envelope = transfer.envelope;
  if (envelope.message.wire_size <= kLargestSmall) return;
  envelope.took = clock_now() - transfer.began;
  envelope.waited = transfer.began - envelope.sent;
}

}  // namespace

Transfers::Transfers(const SimNetworkOptions& options, Alarms& alarms, LinkUse& links, const Reachability& reach,
                     ByNode<SimInbox>& inboxes, std::function<void(Pair& pair)> given_up)
    : options_(options),
      alarms_(alarms),
      links_(links),
      reach_(reach),
      inboxes_(inboxes),
      given_up_(std::move(given_up)),
      flows_(alarms, options.limit, [this](Transfer& transfer, bool there) {
        if (!there) return retry_or_give_up(transfer);
        links_.look(transfer.pair->route);
        tell_times(transfer);
        arrived(transfer);
      }) {}

void Transfers::send(Pair& pair, Envelope envelope, Seconds delay) {
  SimInbox& inbox = inboxes_[pair.to];
  if (pair.local() && delay <= Seconds(0) && pair.order.empty() && !reach_.blocked(pair)) {
    return inbox.push(std::move(envelope));
  }
  if (!pair.local()) links_.count(pair.route, envelope.message.wire_size);
  Transfer& transfer = slots_.take(pair);
  transfer.envelope = std::move(envelope);
  transfer.number = pair.order.next_number();
  if (delay > Seconds(0)) return start_at(transfer.envelope.sent + delay, transfer);
  simcall_answered([this, &transfer, serial = transfer.serial] {
    if (transfer.serial == serial) start(transfer);
  });
}

void Transfers::start_at(Seconds time, Transfer& transfer) {
  alarms_.at(time, [this, &transfer, serial = transfer.serial] {
    if (transfer.serial == serial) start(transfer);
  });
}

void Transfers::start(Transfer& transfer) {
  if (stopped_) return;
  const Pair& pair = *transfer.pair;
  if (reach_.blocked(pair)) return retry_or_give_up(transfer);
  if (pair.local()) return arrived(transfer);
  if (!its_turn(transfer)) return;
  transfer.broken.reset();
  transfer.began = clock_now();
  flows_.start(transfer);
}

bool Transfers::its_turn(Transfer& transfer) {
  return transfer.envelope.message.wire_size <= kLargestSmall || transfer.pair->turns.ask(transfer);
}

void Transfers::arrived(Transfer& transfer) {
  Pair& pair = *transfer.pair;
  const std::uint64_t number = transfer.number;
  Envelope envelope = std::move(transfer.envelope);
  if (Transfer* const next = pair.turns.pass(transfer)) start_at(clock_now(), *next);
  slots_.free(transfer);
  SimInbox& inbox = inboxes_[pair.to];
  pair.order.arrive(number, std::move(envelope), [&](Envelope due) { inbox.push(std::move(due)); });
}

void Transfers::retry_or_give_up(Transfer& transfer) {
  const Seconds now = clock_now();
  if (!transfer.broken) transfer.broken = now;
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
  for (Transfer& transfer : slots_.all()) {
    if (transfer.serial == 0 || transfer.flow == nullptr) continue;
    if (!reach_.cuts().between(transfer.pair->from, transfer.pair->to, cut)) continue;
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
