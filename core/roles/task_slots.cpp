#include "core/roles/task_slots.hpp"

#include <utility>

namespace dipaco {

void TaskSlots::take(Task task) {
  if (!task.again) {
    next_ = std::move(task);
    return;
  }
  Task* const told = at_hand_ ? &*at_hand_ : next_ ? &*next_ : nullptr;
  if (told == nullptr || task.id != told->id || task.epoch != told->epoch) return;
  if (task.from_store == NodeId{-1}) task.from_store = told->from_store;  // who has it is away: it may come back
  task.base = told->base;
  *told = std::move(task);
}

const Task& TaskSlots::begin() {
  at_hand_ = *std::exchange(next_, std::nullopt);
  return *at_hand_;
}

Task TaskSlots::end() { return *std::exchange(at_hand_, std::nullopt); }

const Task* TaskSlots::present() const { return at_hand_ ? &*at_hand_ : next_ ? &*next_ : nullptr; }

}  // namespace dipaco
