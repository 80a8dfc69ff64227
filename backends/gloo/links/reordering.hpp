#pragma once

#include <cstdint>
#include <functional>
#include <map>

#include "backends/gloo/links/arrival.hpp"

namespace dipaco {

/// Delivers a link's messages in the order in which they were sent, whatever order they are whole in: small ones
/// overtake large ones.
class Reordering {
 public:
  using Deliver = std::function<void(const Received&)>;
  explicit Reordering(Deliver deliver) : deliver_(std::move(deliver)) {}

  /// @param number  of the message, from 0, among all of this direction
  /// @throws LinkError where it came before; what the delivery of one throws
  void put(std::uint64_t number, Received message);

 private:
  Deliver deliver_;
  std::uint64_t next_ = 0;                   ///< to deliver
  std::map<std::uint64_t, Received> early_;  ///< whole, before their turn
};

}  // namespace dipaco
