#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "core/events/events.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// Who was there, as far as a run's events tell.
struct Roll {
  struct Presence {
    bool up = false;
    Seconds since{};               ///< it is, or is not, on the run's clock
    std::int32_t incarnation = 0;  ///< of the process that was there last
  };
  std::map<NodeId, Presence> nodes;
  Seconds until{};  ///< when somebody last told of the run

  /// @param from, incarnation  who says so. Where another has said something newer, that counts.
  void note(const Event& event, NodeId from, std::int32_t incarnation);
};

/// The coordinator's: records who goes, which nobody says of itself, and who is heard again. A coordinator's process
/// that goes on with a run cannot know at first who of those that were there is there yet: who is heard, and is the
/// same process, was there all the time; any other was gone when the earlier coordinator was, as nobody saw it after.
class RollCall {
 public:
  /// @param before  as an earlier process has left it; empty where there was none
  /// @param log  must outlive this
  /// @param incarnation_of  of the process that a node's link leads to now
  RollCall(const Roll& before, EventLog& log, std::function<std::int32_t(NodeId)> incarnation_of);

  /// What has come to the coordinator.
  void note(const Incoming& incoming, Seconds now);
  /// Nobody is waited for any more: who was not heard has gone.
  void close();

 private:
  void heard(NodeId node, Seconds now);
  void lost(NodeId node, Seconds now);
  void record(EventKind kind, NodeId node, Seconds time);

  EventLog& log_;
  std::function<std::int32_t(NodeId)> incarnation_of_;
  Seconds until_;                           ///< of the earlier process
  std::map<NodeId, std::int32_t> unheard_;  ///< incarnation of who was there then
  std::set<NodeId> away_;
};

}  // namespace dipaco
