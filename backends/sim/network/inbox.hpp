#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <simgrid/s4u.hpp>
#include <utility>

#include "backends/sim/engine/alarms.hpp"
#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/transport.hpp"
#include "core/transport/urgent_mail.hpp"

namespace dipaco {

/// What has come to a simulated node, and how its actor waits for it: through all incarnations of the node, of which
/// one at a time has the inbox open.
class SimInbox {
 public:
  explicit SimInbox(Alarms& alarms) : alarms_(alarms) {}
  /// Before it is opened for the first time.
  SimInbox(SimInbox&&) = default;
  SimInbox(const SimInbox&) = delete;
  SimInbox& operator=(const SimInbox&) = delete;
  ~SimInbox() = default;

  /// The node's next incarnation begins, with an empty inbox.
  void open();
  /// The incarnation has ended; what it has not taken is lost.
  void close();
  bool is_open() const { return open_; }

  /// From any actor or none. Nothing happens where the inbox is closed.
  void push(Incoming&& incoming);
  /// By the node's own actor. As Transport::receive; returns only once the node is not frozen.
  std::optional<Incoming> receive(Seconds timeout);
  /// Whom to tell whether urgent messages wait for this incarnation; from any actor or none.
  void tell_urgent(std::function<void(bool)> tell) { urgent_.told_to(std::move(tell)); }
  /// Blocks the node's own actor while it is frozen.
  void hold() {
    if (frozen_) wait_for_thaw();
  }

  /// The node's calls block until it thaws. Messages still come in.
  void freeze() { frozen_ = true; }
  void thaw();
  /// Drops the messages that have come from others than `self`, the inbox's node. What says that a peer is lost stays.
  void drop_from_others(NodeId self);

 private:
  void wait_for_thaw();
  /// Until something has come in and the node is not frozen; false once the timeout has passed.
  bool wait(Seconds timeout);
  void wake();
  void wake_in_time();

  Alarms& alarms_;
  std::deque<Incoming> incoming_;
  UrgentMail urgent_;
  bool open_ = false;
  bool frozen_ = false;
  bool waiting_ = false;                ///< the actor sleeps at `arrived_`
  simgrid::s4u::SemaphorePtr arrived_;  ///< of this incarnation: a dead actor may still stand in the last one's queue
  Seconds give_up_{};                   ///< when its wait ends; below 0: never
  std::optional<Alarms::Id> alarm_;     ///< that wakes it then, or before, to wait on
  Seconds alarm_time_{};
};

}  // namespace dipaco
