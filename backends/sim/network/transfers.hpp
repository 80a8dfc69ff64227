#pragma once

#include <functional>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/engine/links.hpp"
#include "backends/sim/network/by_node.hpp"
#include "backends/sim/network/flows.hpp"
#include "backends/sim/network/inbox.hpp"
#include "backends/sim/network/lines.hpp"
#include "backends/sim/network/pair.hpp"
#include "backends/sim/network/reachability.hpp"
#include "backends/sim/network/slots.hpp"
#include "core/base/units.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// How long the network takes to give up.
struct SimNetworkOptions {
  Seconds limit{10};  ///< from a host's end or a link's failure to PeerLost
  Seconds retry{3};   ///< between attempts at a transfer whose route is broken
};

/// The parts of a network that transfers need.
struct TransferParts {
  Alarms& alarms;
  LinkUse& links;
  const Reachability& reach;
  ByNode<SimInbox>& inboxes;
  Lines& lines;
};

/// The messages that are on their way, from their senders to the inboxes. One whose route is blocked is tried again,
/// until it has been so for the limit.
class Transfers {
 public:
  /// @param given_up  called with the pair of a transfer whose route has been blocked for the limit; it has to call
  ///                  `lose` with it
  Transfers(const SimNetworkOptions& options, const TransferParts& parts, std::function<void(Pair& pair)> given_up);

  /// From the sender's actor. Large messages of a pair go one after the other, and take turns with those of other pairs
  /// (Lines); small ones go at once. All of a pair are delivered in the order in which they were sent.
  /// @param delay  after which it leaves
  void send(Pair& pair, Envelope envelope, Seconds delay);
  /// The same of a message of the network itself, which leaves now. From anywhere.
  void post(Pair& pair, Envelope envelope);
  /// The pair's first large message has its turn on the line between their sites.
  void go_on(Pair& pair);
  /// What is on its way from one end of the pair to the other is lost.
  void lose(Pair& pair);
  /// The flows that the cut lies across end; their transfers are tried again.
  void interrupt(Cuts::Id cut);
  /// Nothing is on its way any more, and nothing begins.
  void stop();

 private:
  Transfer& add(Pair& pair, Envelope envelope);
  void start(Transfer& transfer);
  void start_at(Seconds time, Transfer& transfer);
  /// False where it has to wait for the pair's large message that is on its way, or for its turn on a line.
  bool its_turn(Transfer& transfer);
  void cancel(Transfer& transfer);
  void arrived(Transfer& transfer);
  void deliver(const Pair& pair, Envelope&& envelope);
  void retry_or_give_up(Transfer& transfer);

  SimNetworkOptions options_;
  TransferParts parts_;
  std::function<void(Pair& pair)> given_up_;
  Flows flows_;
  Slots slots_;
  bool stopped_ = false;
};

}  // namespace dipaco
