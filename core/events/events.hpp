#pragma once

#include <mutex>
#include <vector>

#include "core/events/event.hpp"
#include "core/events/packed_events.hpp"

namespace dipaco {

/// Takes the events of a run. Nodes call it from wherever they run: it must be safe for that backend's threads.
class EventLog {
 public:
  virtual ~EventLog() = default;
  virtual void record(const Event& event) = 0;
};

/// Keeps events in memory, packed, in the order of record(), which is time's only where one thread runs all nodes. Not
/// for several threads at once (sim); see LockedEventLog.
class MemoryEventLog : public EventLog {
 public:
  void record(const Event& event) override { events_.add(event); }
  /// All events so far, unpacked at each call.
  std::vector<Event> events() const { return events_.events(); }

 private:
  PackedEvents events_;
};

/// Keeps events in memory, packed; nodes may be threads (loopback). Events of different threads are only roughly in
/// time's order.
class LockedEventLog : public EventLog {
 public:
  void record(const Event& event) override;
  /// All events so far, which are gone from here: call it once the nodes have ended.
  std::vector<Event> take();

 private:
  std::mutex mutex_;
  PackedEvents events_;
};

}  // namespace dipaco
