#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/loopback/clock.hpp"
#include "backends/loopback/cuts.hpp"
#include "backends/loopback/nodes.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// The messages of a loopback network that are on their way: late ones, those that a cut holds, and what becomes of
/// them where their receiver is gone. Each call needs the clock's mutex locked.
class LoopbackFlights {
 public:
  LoopbackFlights(LoopbackNodes& nodes, LoopbackClock& clock) : nodes_(nodes), clock_(clock) {}

  void send(NodeId from, NodeId to, Message message);
  /// What is sent between the node and `peer`, or everyone, is held for `lasting`. If that is longer than `limit`, it
  /// is lost after `limit`, and both sides hear so.
  void cut(NodeId node, std::optional<NodeId> peer, Seconds lasting, Seconds limit);

 private:
  struct Flight {
    Envelope envelope;
    NodeId to{};
    std::int32_t from_incarnation = 0;
    std::int32_t to_incarnation = 0;
    bool to_lost = false;  ///< of which the sender had heard
  };
  void post(Flight flight);
  void arrive(Flight flight);
  void break_off(std::uint64_t cut);
  void mend(std::uint64_t cut);

  LoopbackNodes& nodes_;
  LoopbackClock& clock_;
  LoopbackCuts cuts_;
  std::vector<Flight> held_;  ///< by cuts, in the order they were sent
};

}  // namespace dipaco
