#include "backends/sim/network/slots.hpp"

#include <utility>

namespace dipaco {

Transfer& Slots::take(Pair& pair) {
  if (free_.empty()) free_.push_back(&slots_.emplace_back());
  Transfer& transfer = *free_.back();
  free_.pop_back();
  transfer.serial = ++serial_;
  transfer.pair = &pair;
  transfer.place = pair.transfers.size();
  pair.transfers.push_back(&transfer);
  return transfer;
}

void Slots::free(Transfer& transfer) {
  auto& siblings = transfer.pair->transfers;
  siblings.back()->place = transfer.place;
  std::swap(siblings[transfer.place], siblings.back());
  siblings.pop_back();
  transfer.serial = 0;
  transfer.broken.reset();
  transfer.flow = nullptr;
  transfer.envelope.message.body.emplace<WhoIsThere>();  // what it had is freed
  free_.push_back(&transfer);
}

}  // namespace dipaco
