#pragma once

#include <vector>

#include "core/events/event.hpp"
#include "core/report/accounts/waits.hpp"

namespace dipaco {

/// A stretch of time in which a task or a version waited for messages.
struct AwaitedMessages {
  WaitStage stage{};  ///< fetch: what comes to the node; commit: the path's state from it; exchange: gradients to it
  NodeId node{-1};
  PathId path{-1};    ///< of commit
  ModuleId module{};  ///< of exchange
  Seconds begin{};
  Seconds end{};
  Way* way = nullptr;  ///< where to say between whom the message went that came last
};

/// Says it of each; not where none came in its time. Other stages wait for no message.
void find_ways(std::vector<AwaitedMessages> all, const std::vector<Event>& events);

}  // namespace dipaco
