#include "core/log/attempts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

/// Outer step, path and attempt in one word; attempt 0 stands for the task.
std::uint64_t key(std::int32_t outer_step, PathId path, std::int16_t attempt) {
  check(outer_step >= 0 && outer_step < (1 << 24) && index(path) >= 0 && index(path) < (1 << 24) && attempt >= 0,
        "an event of a task names path, outer step and attempt");
  return (static_cast<std::uint64_t>(outer_step) << 40) | (static_cast<std::uint64_t>(index(path)) << 16) |
         static_cast<std::uint64_t>(attempt);
}

class Collector {
 public:
  void add(const Event& event) {
    switch (event.kind) {
      case EventKind::task_queued:
        queued_.insert_or_assign(key(event.outer_step, event.path, 0), event.time);
        break;
      case EventKind::task_assigned:
        assigned(event);
        break;
      case EventKind::task_started:
        of(event).started = event.time;
        break;
      case EventKind::task_computed:
        computed(event);
        break;
      case EventKind::task_handed_back:
        ended(event, AttemptEnd::handed_back);
        break;
      case EventKind::task_committed:
        ended(event, AttemptEnd::committed);
        break;
      case EventKind::task_requeued:
        ended(event, AttemptEnd::requeued);
        break;
      default:
        break;
    }
  }

  std::vector<Attempt> take() {
    std::sort(attempts_.begin(), attempts_.end(), [](const Attempt& a, const Attempt& b) {
      return std::tuple(a.outer_step, a.path, a.attempt) < std::tuple(b.outer_step, b.path, b.attempt);
    });
    return std::move(attempts_);
  }

 private:
  Attempt& of(const Event& event) {
    const auto [place, is_new] =
        places_.try_emplace(key(event.outer_step, event.path, event.attempt), attempts_.size());
    if (is_new) {
      attempts_.push_back(
          {.path = event.path, .outer_step = event.outer_step, .attempt = event.attempt, .worker = event.node});
    }
    return attempts_[place->second];
  }

  void assigned(const Event& event) {
    Attempt& attempt = of(event);
    attempt.assigned = event.time;
    attempt.worker = event.node;
    const auto queued = queued_.find(key(event.outer_step, event.path, 0));
    if (queued != queued_.end()) attempt.queued = queued->second;
  }

  void computed(const Event& event) {
    Attempt& attempt = of(event);
    attempt.computed = event.time;
    attempt.inner_steps = event.inner_steps;
    attempt.loss_sum = event.value;
  }

  /// A commit outweighs all else: the store had the state, whatever became of the worker.
  void ended(const Event& event, AttemptEnd end) {
    Attempt& attempt = of(event);
    if (end != AttemptEnd::committed) queued_.insert_or_assign(key(event.outer_step, event.path, 0), event.time);
    if (attempt.end == AttemptEnd::committed || (attempt.end != AttemptEnd::open && end != AttemptEnd::committed))
      return;
    attempt.end = end;
    attempt.ended = event.time;
  }

  std::vector<Attempt> attempts_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::unordered_map<std::uint64_t, Seconds> queued_;
};

/// Credits one task's attempts.
void credit_task(std::span<Attempt> attempts, std::int64_t tau) {
  std::int64_t missing = 0;
  for (std::size_t i = attempts.size(); i-- > 0;) {
    Attempt& attempt = attempts[i];
    if (attempt.end == AttemptEnd::committed) {
      attempt.useful_steps = attempt.inner_steps;
      missing = tau - attempt.inner_steps;
    } else if (attempt.end == AttemptEnd::handed_back && attempt.inner_steps <= missing) {
      attempt.useful_steps = attempt.inner_steps;
      missing -= attempt.inner_steps;
    }
  }
}

struct Pace {
  Seconds time{};
  std::int64_t steps = 0;
};

}  // namespace

const char* name(AttemptEnd end) {
  static constexpr std::array kNames{"", "committed", "handed_back", "requeued"};
  return kNames[static_cast<std::size_t>(end)];
}

std::vector<std::uint32_t> time_order(const std::vector<Event>& events) {
  std::vector<std::uint32_t> order(events.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return events[a].time < events[b].time; };
  if (!std::is_sorted(order.begin(), order.end(), earlier)) std::stable_sort(order.begin(), order.end(), earlier);
  return order;
}

std::vector<Attempt> collect_attempts(const std::vector<Event>& events, std::span<const std::uint32_t> order) {
  Collector collector;
  for (const std::uint32_t place : order) collector.add(events[place]);
  return collector.take();
}

void credit_steps(std::span<Attempt> attempts, std::int64_t tau) {
  const auto same_task = [](const Attempt& a, const Attempt& b) {
    return a.path == b.path && a.outer_step == b.outer_step;
  };
  for (std::size_t first = 0; first < attempts.size();) {
    std::size_t end = first + 1;
    while (end < attempts.size() && same_task(attempts[first], attempts[end])) ++end;
    credit_task(attempts.subspan(first, end - first), tau);
    first = end;
  }
}

void estimate_lost_steps(std::span<Attempt> attempts, std::int64_t tau) {
  std::map<NodeId, Pace> of_worker;
  Pace of_all;
  for (const Attempt& attempt : attempts) {
    if (!happened(attempt.started) || !happened(attempt.computed)) continue;
    Pace& pace = of_worker[attempt.worker];
    for (Pace* each : {&pace, &of_all}) {
      each->time += attempt.computed - attempt.started;
      each->steps += attempt.inner_steps;
    }
  }
  for (Attempt& attempt : attempts) {
    if (!happened(attempt.started) || happened(attempt.computed) || !happened(attempt.stopped)) continue;
    const auto own = of_worker.find(attempt.worker);
    const Pace& pace = own != of_worker.end() && own->second.steps > 0 ? own->second : of_all;
    if (pace.steps == 0 || pace.time <= Seconds(0)) continue;
    // A hair more than the quotient: a whole number of steps must not fall to the one below by rounding.
    const double steps = (attempt.stopped - attempt.started) / pace.time * static_cast<double>(pace.steps) + 1e-6;
    attempt.inner_steps = static_cast<std::int32_t>(
        std::clamp<double>(steps, 0, static_cast<double>(std::max<std::int64_t>(tau - 1, 0))));
  }
}

}  // namespace dipaco
