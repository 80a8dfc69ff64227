#include "core/events/events.hpp"

#include <array>
#include <cstddef>
#include <utility>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr std::array kRoleNames{"coordinator", "worker", "executor", "store", "evaluator"};
constexpr std::array kEventNames{
    "node_up",
    "node_down",
    "notice",
    "task_queued",
    "task_assigned",
    "task_started",
    "task_computed",
    "task_handed_back",
    "notice_too_short",
    "task_committed",
    "task_requeued",
    "module_stepped",
    "contribution_applied",
    "contribution_dropped",
    "evaluation_started",
    "evaluation_done",
    "fitting_started",
    "fitting_done",
    "routing_started",
    "routing_done",
    "remaking_started",
    "remaking_done",
    "state_refused",
    "worker_set_aside",
    "worker_slow",
    "worker_recovered",
    "worker_in_reserve",
    "worker_called_up",
    "message_refused",
    "transfer",
};
static_assert(kRoleNames.size() == static_cast<std::size_t>(Role::evaluator) + 1);
static_assert(kEventNames.size() == static_cast<std::size_t>(EventKind::transfer) + 1);

}  // namespace

const char* name(Role role) {
  const auto index = static_cast<std::size_t>(role);
  check(index < kRoleNames.size(), "a role has a name");
  return kRoleNames[index];
}

const char* name(EventKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  check(index < kEventNames.size(), "a kind of event has a name");
  return kEventNames[index];
}

void LockedEventLog::record(const Event& event) {
  const std::lock_guard lock(mutex_);
  events_.add(event);
}

std::vector<Event> LockedEventLog::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {}).events();
}

}  // namespace dipaco
