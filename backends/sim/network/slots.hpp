#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "backends/sim/network/pair.hpp"
#include "backends/sim/network/transfer.hpp"

namespace dipaco {

/// Where transfers are kept while they last. A slot is used again, with another serial: an alarm that still means the
/// transfer before can see so.
class Slots {
 public:
  /// A transfer of the pair, which lists it from now on.
  Transfer& take(Pair& pair);
  /// The transfer has arrived or is lost. Its pair does not list it any more.
  void free(Transfer& transfer);
  /// In the order in which the slots were first used; a free one has serial 0. Neither call above moves one.
  std::deque<Transfer>& all() { return slots_; }

 private:
  std::deque<Transfer> slots_;
  std::vector<Transfer*> free_;
  std::uint64_t serial_ = 0;
};

}  // namespace dipaco
