#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/line_load.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// When a node's large messages to other sites may go. As long as they are on their way for a small part of the time,
/// each goes at once, and nobody hears of it. Else each asks the coordinator's transport, which has the LineKeeper, and
/// waits for its turn; of those to one node only the first asks. Part of a transport, which calls it when a message
/// is about to go and when it has arrived.
class LineTurns {
 public:
  /// @param since  this node's time begins
  /// @param tell   sends to the coordinator's transport
  LineTurns(Seconds since, std::function<void(Message)> tell) : since_(since), tell_(std::move(tell)) {}

  /// The next large message to `to` is about to go. @returns whether it does; if not, this is called for it again once
  /// `turn` has returned true for `to`, or something there is over
  bool ask(NodeId to, SiteId site, const Urgency& urgency, Bytes size, Seconds now);
  /// The answer has come. @returns whether something waits for it
  bool turn(NodeId to);
  /// A message that went has arrived.
  void over(NodeId to, Seconds now);
  /// All that was to go there is lost, or has to begin anew.
  void drop(NodeId to, Seconds now);
  /// Nobody answers: who waits may go. @returns to whom
  std::vector<NodeId> unanswered();

 private:
  struct Peer {
    SiteId site{};
    int going = 0;
    bool waits = false;
    bool may_go = false;    ///< its turn has come, and it has not gone yet
    bool has_turn = false;  ///< of those going, the last
  };

  LineLoad& load(SiteId site) { return loads_.try_emplace(site, since_).first->second; }

  Seconds since_;
  std::function<void(Message)> tell_;
  std::map<NodeId, Peer> peers_;
  std::map<SiteId, LineLoad> loads_;
};

}  // namespace dipaco
