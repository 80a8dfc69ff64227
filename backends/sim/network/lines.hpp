#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "backends/sim/engine/alarms.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/line_keeper.hpp"
#include "core/transport/line_turns.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

struct LineOptions {
  std::vector<SiteId> sites;  ///< [nodes] of each node; empty: nothing takes turns
  bool rounds = true;         ///< of the run's policy: messages have an outer step at which they are needed
};

/// What the lines between sites need of their network. Called in SimGrid's kernel and from actors.
struct LinesHooks {
  /// Sends a message that no role gets. Nothing where the receiver cannot be reached.
  std::function<void(NodeId from, NodeId to, Message message)> send;
  std::function<void(NodePair pair)> go;            ///< the pair's first large message may go now
  std::function<bool(NodeId node)> reaches_keeper;  ///< the coordinator is up, and the two are not parted
};

/// Large messages between sites take turns as those of real processes do (core/transport/line_turns.hpp): each node's
/// part in it, and the coordinator's.
class Lines {
 public:
  /// @param limit  from the coordinator's loss until those who wait for its answer go without
  Lines(LineOptions options, Seconds limit, Alarms& alarms, LinesHooks hooks);
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() = default;

  /// Whether the pair's first large message goes now; if not, `go` is called for it.
  bool ask(NodePair pair, const Message& message);
  /// It has arrived.
  void arrived(NodePair pair, const Message& message);
  /// What was on its way there is lost, or has to begin anew.
  void drop(NodePair pair);
  /// The two hear nothing of each other any more.
  void parted(NodePair pair);
  /// The node is gone. Not before the network knows.
  void lost(NodeId node);
  /// Takes a message that is about turns. False: it is another, and a role's.
  bool take(NodePair pair, const Message& message);
  /// InMotion::in_turns.
  std::vector<NodeId> in_turns() const { return keeper_.concerned(); }

 private:
  SiteId site(NodeId node) const { return options_.sites[static_cast<std::size_t>(index(node))]; }
  LineTurns& turns_of(NodeId node) { return turns_[static_cast<std::size_t>(index(node))]; }
  bool takes_turns(NodePair pair, const Message& message) const;
  LineTurns begin(NodeId node);
  void tell(const std::vector<NodePair>& turns);
  void release(NodeId node);

  LineOptions options_;
  Seconds limit_;
  Alarms& alarms_;
  LinesHooks hooks_;
  std::vector<LineTurns> turns_;  ///< by node; empty: nothing takes turns
  LineKeeper keeper_;
};

}  // namespace dipaco
