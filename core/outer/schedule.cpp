#include "core/outer/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <utility>

namespace dipaco {
namespace {

constexpr Seconds kNever{std::numeric_limits<double>::infinity()};

/// When `tasks` of them are done at the earliest, none of which begins before `from`.
Seconds done_at(std::span<const WorkerTimes> workers, std::int64_t tasks, Seconds from) {
  using End = std::pair<Seconds, std::size_t>;
  std::vector<End> ends;  // of each worker's next task: a heap, the earliest first
  ends.reserve(workers.size());
  for (std::size_t k = 0; k < workers.size(); ++k) {
    ends.emplace_back(std::max(workers[k].free_at, from) + workers[k].task, k);
  }
  std::ranges::make_heap(ends, std::greater<>());
  Seconds done = from;
  for (; tasks > 0; --tasks) {
    std::ranges::pop_heap(ends, std::greater<>());
    done = ends.back().first;
    ends.back().first += workers[ends.back().second].task;
    std::ranges::push_heap(ends, std::greater<>());
  }
  return done;
}

}  // namespace

Seconds FirstFree::all_done_at(std::span<const WorkerTimes> /*workers*/, const OpenTasks& /*tasks*/) const {
  return kNever;
}

Seconds EarliestFinish::all_done_at(std::span<const WorkerTimes> workers, const OpenTasks& tasks) const {
  if (workers.empty()) return kNever;
  const Seconds any_time{-std::numeric_limits<double>::infinity()};
  const Seconds all = done_at(workers, tasks.queued + tasks.coming, any_time);
  return tasks.coming > 0 ? std::max(all, done_at(workers, tasks.coming, tasks.coming_at)) : all;
}

const std::vector<NamedSchedule>& schedules() {
  static const std::vector<NamedSchedule> kSchedules{{"earliest_finish", std::make_shared<EarliestFinish>()},
                                                     {"first_free", std::make_shared<FirstFree>()}};
  return kSchedules;
}

}  // namespace dipaco
