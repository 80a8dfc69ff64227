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
  told->again = true;
  if (task.from_store != NodeId{-1}) told->from_store = task.from_store;  // else who has it is away: it may come back
  told->to_stores = std::move(task.to_stores);
  told->owners = std::move(task.owners);
  told->cache = std::move(task.cache);
}

const Task& TaskSlots::begin() {
  at_hand_ = *std::exchange(next_, std::nullopt);
  return *at_hand_;
}

Task TaskSlots::end() { return *std::exchange(at_hand_, std::nullopt); }

const Task* TaskSlots::present() const { return at_hand_ ? &*at_hand_ : next_ ? &*next_ : nullptr; }

}  // namespace dipaco
