#pragma once

#include <optional>

#include "core/transport/messages.hpp"

namespace dipaco {

/// The tasks of a worker: the one at hand, and the next. Pure logic.
class TaskSlots {
 public:
  /// A task that is told again only says where the things of a task that is here are now; it is dropped where that one
  /// has ended.
  void take(Task task);
  bool waits() const { return next_.has_value(); }
  /// The next task becomes the one at hand. REQUIRES that one waits. @returns it; where its things are may change
  const Task& begin();
  /// That one has ended. REQUIRES that there is one.
  Task end();
  /// The one at hand, else the next one; null where there is neither.
  const Task* present() const;
  bool at_hand() const { return at_hand_.has_value(); }
  /// Whether the coordinator counts the one at hand as lost: no store gets its state any more.
  bool given_up() const { return at_hand_ && at_hand_->to_stores.empty(); }

 private:
  std::optional<Task> at_hand_;
  std::optional<Task> next_;
};

}  // namespace dipaco
