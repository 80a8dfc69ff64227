#include "core/report/attempts/attempts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "core/base/error.hpp"
#include "core/events/traffic.hpp"

namespace dipaco {
namespace {

/// Outer step, path and attempt in one word; attempt 0 stands for the task.
std::uint64_t key(OuterStep outer_step, PathId path, std::int16_t attempt) {
  check(number(outer_step) >= 0 && number(outer_step) < (1 << 24) && index(path) >= 0 && index(path) < (1 << 24) &&
            attempt >= 0,
        "an event of a task names path, outer step and attempt");
  return (static_cast<std::uint64_t>(outer_step) << 40) | (static_cast<std::uint64_t>(index(path)) << 16) |
         static_cast<std::uint64_t>(attempt);
}

/// Of the attempt's task.
std::int64_t length_of(const Attempt& attempt, std::int64_t tau) { return attempt.length > 0 ? attempt.length : tau; }

bool is_whole(const Attempt& attempt, std::int64_t tau) {
  return happened(attempt.computed) && attempt.first_inner_step + attempt.inner_steps == length_of(attempt, tau);
}

class Collector {
 public:
  void add(const Event& event) {
    const bool goes_on = event.kind == EventKind::task_queued || event.kind == EventKind::task_assigned;
    if (event.outer_step > OuterStep{0} && index(event.path) >= 0 && goes_on) {
      OuterStep& furthest = furthest_[event.path];
      furthest = std::max(furthest, event.outer_step);
    }
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
      case EventKind::notice_too_short:
        ended(event, AttemptEnd::notice_too_short);
        break;
      case EventKind::task_committed:
        ended(event, AttemptEnd::committed);
        break;
      case EventKind::task_requeued:
        requeued(event);
        break;
      case EventKind::transfer:
        stored(event);
        break;
      default:
        break;
    }
  }

  /// Whether the path was at a later task: then this one was committed.
  bool past(PathId path, OuterStep outer_step) const {
    const auto found = furthest_.find(path);
    return found != furthest_.end() && found->second > outer_step;
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
    attempt.length = static_cast<std::int32_t>(event.value);
    attempt.first_inner_step = event.inner_steps;
    const auto queued = queued_.find(key(event.outer_step, event.path, 0));
    if (queued != queued_.end()) attempt.queued = queued->second;
  }

  void computed(const Event& event) {
    Attempt& attempt = of(event);
    attempt.computed = event.time;
    attempt.inner_steps = event.inner_steps;
    attempt.loss_sum = event.value;
    made_.insert_or_assign(event.node, places_.at(key(event.outer_step, event.path, event.attempt)));
  }

  /// A path state that came from a worker is what its newest attempt made.
  void stored(const Event& event) {
    if (event.detail != static_cast<std::uint8_t>(MessageKind::put_path_state)) return;
    const auto made = made_.find(event.peer);
    if (made == made_.end()) return;
    Attempt& attempt = attempts_[made->second];
    if (!happened(attempt.stored) && attempt.computed <= event.begin) attempt.stored = event.time;
  }

  /// An attempt that this log does not know is of the run's part before it was resumed.
  void requeued(const Event& event) {
    if (places_.contains(key(event.outer_step, event.path, event.attempt))) {
      ended(event, AttemptEnd::requeued);
    } else {
      queued_.insert_or_assign(key(event.outer_step, event.path, 0), event.time);
    }
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
  std::map<NodeId, std::size_t> made_;    ///< by worker: the attempt that it computed last
  std::map<PathId, OuterStep> furthest_;  ///< the last task that was queued or given out
};

/// The attempt at a committed task whose worker and stores were gone before they had reported it: the last that nobody
/// has ended, as the coordinator ends all others.
Attempt* find_unreported(std::span<Attempt> attempts) {
  const auto open = std::find_if(attempts.rbegin(), attempts.rend(),
                                 [](const Attempt& attempt) { return attempt.end == AttemptEnd::open; });
  return open == attempts.rend() ? &attempts.back() : &*open;
}

/// The last moment that is known of the attempt.
Seconds last_known(const Attempt& attempt) {
  Seconds last = kNever;
  for (const Seconds time : {attempt.assigned, attempt.started, attempt.computed, attempt.stored}) {
    if (happened(time) && !(last > time)) last = time;
  }
  return last;
}

/// The attempt at one task that was committed; null: none. @param past  it is known that one was
Attempt* find_committed(std::span<Attempt> attempts, bool past, std::int64_t tau) {
  Attempt* committed = nullptr;
  for (Attempt& attempt : attempts) {
    if (attempt.end != AttemptEnd::committed) continue;
    if (committed == nullptr || attempt.ended < committed->ended) committed = &attempt;
  }
  if (committed != nullptr) return committed;
  for (Attempt& attempt : attempts) {
    if (!is_whole(attempt, tau)) continue;
    const bool last = &attempt == &attempts.back() && attempt.end == AttemptEnd::open;
    if (happened(attempt.stored) && (past || last)) committed = &attempt;
  }
  return committed != nullptr || !past ? committed : find_unreported(attempts);
}

void settle_task(std::span<Attempt> attempts, bool past, std::int64_t tau) {
  Attempt* const committed = find_committed(attempts, past, tau);
  if (committed == nullptr) return;
  if (committed->end != AttemptEnd::committed) {
    committed->ended = happened(committed->stored) ? committed->stored : last_known(*committed);
  }
  committed->end = AttemptEnd::committed;
  if (!happened(committed->computed)) {
    committed->inner_steps = static_cast<std::int32_t>(length_of(*committed, tau)) - committed->first_inner_step;
  }
  for (Attempt& attempt : attempts) {
    if (&attempt == committed || (attempt.end != AttemptEnd::open && attempt.end != AttemptEnd::committed)) continue;
    attempt.end = AttemptEnd::superseded;
    const Seconds last = last_known(attempt);
    if (!(attempt.ended > last)) attempt.ended = last;
  }
}

/// Credits one task's attempts.
void credit_task(std::span<Attempt> attempts, std::int64_t tau) {
  std::int64_t wanted = 0;  // inner steps that the next later one in the chain began with
  for (std::size_t i = attempts.size(); i-- > 0;) {
    Attempt& attempt = attempts[i];
    const bool kept = attempt.end == AttemptEnd::handed_back || happened(attempt.stored);
    if (attempt.end == AttemptEnd::committed) {
      wanted = length_of(attempt, tau) - attempt.inner_steps;
    } else if (wanted > 0 && kept && attempt.first_inner_step + attempt.inner_steps == wanted) {
      wanted = attempt.first_inner_step;
    } else {
      continue;
    }
    attempt.useful_steps = attempt.inner_steps;
  }
}

template <class Do>
void for_each_task(std::span<Attempt> attempts, const Do& task) {
  const auto same_task = [](const Attempt& a, const Attempt& b) {
    return a.path == b.path && a.outer_step == b.outer_step;
  };
  for (std::size_t first = 0; first < attempts.size();) {
    std::size_t end = first + 1;
    while (end < attempts.size() && same_task(attempts[first], attempts[end])) ++end;
    task(attempts.subspan(first, end - first));
    first = end;
  }
}

struct Pace {
  Seconds time{};
  std::int64_t steps = 0;
};

}  // namespace

const char* name(AttemptEnd end) {
  static constexpr std::array kNames{"", "committed", "handed_back", "requeued", "superseded", "notice_too_short"};
  return kNames[static_cast<std::size_t>(end)];
}

std::vector<std::uint32_t> time_order(const std::vector<Event>& events) {
  std::vector<std::uint32_t> order(events.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) { return events[a].time < events[b].time; };
  if (!std::is_sorted(order.begin(), order.end(), earlier)) std::stable_sort(order.begin(), order.end(), earlier);
  return order;
}

std::vector<Attempt> collect_attempts(const std::vector<Event>& events, std::span<const std::uint32_t> order,
                                      std::int64_t tau, bool finished) {
  Collector collector;
  for (const std::uint32_t place : order) collector.add(events[place]);
  auto attempts = collector.take();
  for_each_task(attempts, [&](std::span<Attempt> task) {
    settle_task(task, finished || collector.past(task.front().path, task.front().outer_step), tau);
  });
  return attempts;
}

void credit_steps(std::span<Attempt> attempts, std::int64_t tau) {
  for_each_task(attempts, [tau](std::span<Attempt> task) { credit_task(task, tau); });
}

void estimate_lost_steps(std::span<Attempt> attempts, std::int64_t tau) {
  std::map<NodeId, Pace> of_worker;
  Pace of_all;
  for (const Attempt& attempt : attempts) {
    if (!happened(attempt.started) || !happened(attempt.computed)) continue;
    Pace& pace = of_worker[attempt.worker];
    for (Pace* each : {&pace, &of_all}) {
      each->time += attempt.computing;
      each->steps += attempt.inner_steps;
    }
  }
  for (Attempt& attempt : attempts) {
    if (!happened(attempt.started) || happened(attempt.computed) || !happened(attempt.stopped)) continue;
    if (attempt.useful_steps > 0) continue;  // committed: all of them
    const auto own = of_worker.find(attempt.worker);
    const Pace& pace = own != of_worker.end() && own->second.steps > 0 ? own->second : of_all;
    if (pace.steps == 0 || pace.time <= Seconds(0)) continue;
    // A hair more than the quotient: a whole number of steps must not fall to the one below by rounding.
    const double steps = attempt.computing / pace.time * static_cast<double>(pace.steps) + 1e-6;
    const std::int64_t most = std::max<std::int64_t>(length_of(attempt, tau) - attempt.first_inner_step - 1, 0);
    attempt.inner_steps = static_cast<std::int32_t>(std::clamp<double>(steps, 0, static_cast<double>(most)));
  }
}

}  // namespace dipaco
