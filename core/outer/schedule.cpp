#include "core/outer/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace dipaco {
namespace {

constexpr Seconds kNever{std::numeric_limits<double>::infinity()};

/// Gives out tasks one by one, each to who is done with it first.
class InTurn {
 public:
  /// @param from  no task begins before
  InTurn(std::span<const WorkerTimes> workers, const StateMoves& moves, Seconds from)
      : workers_(workers), moves_(moves), from_(from) {
    for (std::size_t k = 0; k < workers.size(); ++k) {
      sites_[workers[k].site].push({std::max(workers[k].free_at, from) + workers[k].task, k});
    }
  }

  /// When all are done, each of which begins at the site of its state or after that has moved.
  Seconds done_at(OpenTasks::BySite tasks) {
    left_ = std::move(tasks);
    std::erase_if(left_, [](const auto& site) { return site.second == 0; });
    Earliest<SiteId> next;
    for (const auto& [site, ends] : sites_) next.push({offer(site).first, site});
    Seconds done = from_;
    while (!left_.empty()) {
      const auto [end, site] = next.top();
      next.pop();
      const auto [now, home] = offer(site);
      if (now <= end) {
        take(site, home, end);
        done = end;
      }
      next.push({offer(site).first, site});
    }
    return done;
  }

 private:
  template <class What>
  using Earliest = std::priority_queue<std::pair<Seconds, What>, std::vector<std::pair<Seconds, What>>, std::greater<>>;

  /// The site's next task: when it would be done, and where its state is. Of its own tasks, if it has any left.
  std::pair<Seconds, SiteId> offer(SiteId site) const {
    const Seconds end = sites_.at(site).top().first;
    for (const SiteId home : {site, kNowhere}) {
      if (left_.contains(home)) return {end, home};
    }
    std::pair best{kNever, kNowhere};
    for (const auto& [home, count] : left_) {
      const auto move = moves_.find({home, site});
      best = std::min(best, {end + (move == moves_.end() ? Seconds(0) : move->second), home});
    }
    return best;
  }

  void take(SiteId site, SiteId home, Seconds end) {
    auto& ends = sites_.at(site);
    const std::size_t worker = ends.top().second;
    ends.pop();
    ends.push({end + workers_[worker].task, worker});
    if (--left_.at(home) == 0) left_.erase(home);
  }

  std::span<const WorkerTimes> workers_;
  const StateMoves& moves_;
  Seconds from_;
  std::map<SiteId, Earliest<std::size_t>> sites_;  ///< of each worker's next task, if its state is there
  OpenTasks::BySite left_;
};

}  // namespace

Seconds FirstFree::all_done_at(std::span<const WorkerTimes> /*workers*/, const OpenTasks& /*tasks*/,
                               const StateMoves& /*moves*/) const {
  return kNever;
}

Seconds EarliestFinish::all_done_at(std::span<const WorkerTimes> workers, const OpenTasks& tasks,
                                    const StateMoves& moves) const {
  if (workers.empty()) return kNever;
  const Seconds any_time{-std::numeric_limits<double>::infinity()};
  OpenTasks::BySite all = tasks.queued;
  for (const auto& [site, count] : tasks.coming) all[site] += count;
  const Seconds end = InTurn(workers, moves, any_time).done_at(std::move(all));
  if (tasks.coming.empty()) return end;
  return std::max(end, InTurn(workers, moves, tasks.coming_at).done_at(tasks.coming));
}

const std::vector<NamedSchedule>& schedules() {
  static const std::vector<NamedSchedule> kSchedules{{"earliest_finish", std::make_shared<EarliestFinish>()},
                                                     {"first_free", std::make_shared<FirstFree>()}};
  return kSchedules;
}

}  // namespace dipaco
