#pragma once

#include <functional>
#include <vector>

#include "backends/gloo/network/links.hpp"
#include "core/transport/line_keeper.hpp"
#include "core/transport/line_turns.hpp"

namespace dipaco {

/// Large messages to other sites take turns (core/transport/line_turns.hpp): this node's part in it and, at the
/// coordinator, whose turn it is. On the links' thread.
class TurnTaking {
 public:
  /// Both must outlive this.
  TurnTaking(NetworkShared& shared, Links& links);
  TurnTaking(const TurnTaking&) = delete;
  TurnTaking& operator=(const TurnTaking&) = delete;
  ~TurnTaking() = default;

  /// What a link with that node does about its large messages.
  TurnHooks hooks(NodeId with);
  /// Takes a message that is about turns. False: it is another, and a role's.
  bool take(NodeId from, const Message& message);
  /// The link with that node has ended.
  void ended(NodeId with);
  /// InMotion::in_turns.
  std::vector<NodeId> in_turns() const { return keeper_.concerned(); }

 private:
  bool concerns(NodeId to, const Message& message) const;
  bool ask(NodeId to, const Message& message);
  void send(NodeId to, const Message& message);
  void tell(const std::vector<NodePair>& turns);
  void release();
  void go_on(NodeId to);

  NetworkShared& shared_;
  Links& links_;
  LineTurns turns_;
  LineKeeper keeper_;
};

}  // namespace dipaco
