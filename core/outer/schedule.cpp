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
constexpr Seconds kLongAgo{-std::numeric_limits<double>::infinity()};

/// Gives out tasks one by one, each to who is done with it first.
class InTurn {
 public:
  /// @param from  no task begins before
  InTurn(std::span<const WorkerTimes> workers, const OpenTasks& tasks, const StateMoves& moves, Seconds from)
      : workers_(workers), delivery_(tasks.delivery), moves_(moves), from_(from) {
    for (std::size_t k = 0; k < workers.size(); ++k) {
      Site& site = sites_[workers[k].site];
      site.ends.push({std::max(workers[k].free_at, from) + workers[k].task, k});
    }
    for (const auto& [id, free] : tasks.way_free) {
      if (const auto site = sites_.find(id); site != sites_.end()) site->second.way_free = free;
    }
    for (auto& [id, site] : sites_) look(id, site);
  }

  /// When all are done, each of which begins at the site of its state or after that has moved.
  Seconds done_at(OpenTasks::BySite tasks) {
    left_ = std::move(tasks);
    std::erase_if(left_, [](const auto& site) { return site.second == 0; });
    Earliest<SiteId> next;
    for (const auto& [site, its] : sites_) next.push({offer(site).done, site});
    Seconds done = from_;
    while (!left_.empty()) {
      const auto [at, site] = next.top();
      next.pop();
      if (const Offer now = offer(site); now.done <= at) {
        take(site, now);
        done = std::max(done, at);
      }
      next.push({offer(site).done, site});
    }
    return done;
  }

 private:
  template <class What>
  using Earliest = std::priority_queue<std::pair<Seconds, What>, std::vector<std::pair<Seconds, What>>, std::greater<>>;

  struct Site {
    Earliest<std::size_t> ends;   ///< of each worker's next task, if its state is there
    Seconds way_free = kLongAgo;  ///< states come to a site one after the other
    GivenOut given;
    Delivery delivery;  ///< of what those and its next task give
  };

  /// What comes of a site's next task.
  struct Offer {
    Seconds done{};  ///< and what it gives is where it is needed
    Seconds end{};   ///< of the task
    SiteId home{};   ///< where its state is
  };

  /// What it takes the site to begin the next task: nothing for one of its own, if any is left, or else the least move.
  std::pair<Seconds, SiteId> least_move(SiteId to) const {
    for (const SiteId home : {to, kNowhere}) {
      if (left_.contains(home)) return {Seconds(0), home};
    }
    std::pair best{kNever, kNowhere};
    for (const auto& [home, count] : left_) {
      const auto move = moves_.find({home, to});
      best = std::min(best, {move == moves_.end() ? Seconds(0) : move->second, home});
    }
    return best;
  }

  Offer offer(SiteId id) const {
    const Site& site = sites_.at(id);
    auto [end, worker] = site.ends.top();
    const auto [move, home] = least_move(id);
    if (move > Seconds(0)) end = std::max(end, site.way_free + workers_[worker].task) + move;
    return {site.delivery.done_at(end), end, home};
  }

  void take(SiteId id, const Offer& offer) {
    Site& site = sites_.at(id);
    site.given.add(offer.end);
    look(id, site);
    const std::size_t worker = site.ends.top().second;
    site.ends.pop();
    site.ends.push({offer.end + workers_[worker].task, worker});
    if (least_move(id).first > Seconds(0)) site.way_free = offer.end - workers_[worker].task;
    if (--left_.at(offer.home) == 0) left_.erase(offer.home);
  }

  void look(SiteId id, Site& site) const {
    if (!delivery_) return;
    site.delivery = delivery_(id, site.given.tasks + 1);
    site.delivery.first_end = std::min(site.delivery.first_end, site.given.first_end);
  }

  std::span<const WorkerTimes> workers_;
  const std::function<Delivery(SiteId, std::int64_t)>& delivery_;
  const StateMoves& moves_;
  Seconds from_;
  std::map<SiteId, Site> sites_;
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
  OpenTasks::BySite all = tasks.queued;
  for (const auto& [site, count] : tasks.coming) all[site] += count;
  const Seconds end = InTurn(workers, tasks, moves, kLongAgo).done_at(std::move(all));
  if (tasks.coming.empty()) return end;
  return std::max(end, InTurn(workers, tasks, moves, tasks.coming_at).done_at(tasks.coming));
}

const std::vector<NamedSchedule>& schedules() {
  static const std::vector<NamedSchedule> kSchedules{{"earliest_finish", std::make_shared<EarliestFinish>()},
                                                     {"first_free", std::make_shared<FirstFree>()}};
  return kSchedules;
}

}  // namespace dipaco
