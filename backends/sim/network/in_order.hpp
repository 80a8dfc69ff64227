#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/transport/transport.hpp"

namespace dipaco {

/// The messages from one node to another, numbered as they are sent: one that has overtaken older ones on the wire
/// waits for them here.
class InOrder {
 public:
  /// The number of the message that is sent now.
  std::uint64_t next_number() { return sent_++; }
  /// All that was sent has been handed over or lost.
  bool empty() const { return sent_ == handed_over_; }

  /// Message `number` is there. Calls `hand_over` with each envelope that may go now, in order: none while an older one
  /// is on its way.
  template <class HandOver>
  void arrive(std::uint64_t number, Envelope envelope, HandOver hand_over) {
    if (number != handed_over_) {
      early_.emplace(number, std::move(envelope));
      return;
    }
    ++handed_over_;
    hand_over(std::move(envelope));
    while (!early_.empty() && early_.begin()->first == handed_over_) {
      auto next = early_.extract(early_.begin());
      ++handed_over_;
      hand_over(std::move(next.mapped()));
    }
  }

  /// What was sent and has not been handed over is lost.
  void lose() {
    early_.clear();
    handed_over_ = sent_;
  }

 private:
  std::uint64_t sent_ = 0;
  std::uint64_t handed_over_ = 0;            ///< or lost: the number that may be handed over next
  std::map<std::uint64_t, Envelope> early_;  ///< there before an older one
};

}  // namespace dipaco
