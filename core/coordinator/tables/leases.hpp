#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

/// How long the coordinator waits for a running attempt, or for answers about a lost one.
struct Lease {
  Seconds ends{};
  PathId path{};
  OuterStep outer_step{};
  Epoch epoch = 0;
  int asked = 0;         ///< how often the attempt's worker was asked how far it is, or the stores once more
  bool doubted = false;  ///< what the worker said at last is old, and nothing had moved: it was asked once more
  friend bool operator>(const Lease& a, const Lease& b) { return a.ends > b.ends; }
};

/// Keeps the leases of attempts, and gives back those that have ended, the earliest first. Pure logic.
class Leases {
 public:
  /// Keeps one more.
  void add(const Lease& lease) { leases_.push(lease); }
  /// When the first one ends; nullopt where there is none.
  std::optional<Seconds> first() const { return leases_.empty() ? std::nullopt : std::optional(leases_.top().ends); }
  /// Takes one that has ended; nullopt where none has.
  std::optional<Lease> take_ended(Seconds now) {
    if (leases_.empty() || leases_.top().ends > now) return std::nullopt;
    const Lease lease = leases_.top();
    leases_.pop();
    return lease;
  }

 private:
  std::priority_queue<Lease, std::vector<Lease>, std::greater<>> leases_;
};

}  // namespace dipaco
