#include "core/queue/reserve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dipaco {
namespace {

constexpr double kRounding = 1e-9;

using Phase = PathEntry::Phase;

bool is_given(const PathEntry& path) { return path.phase == Phase::running || path.phase == Phase::in_question; }

/// How much of a task the path has to do in this round and before that is not given out: all of one, or none, unless
/// tasks differ in length. Of a path that runs, behind the task that it is at.
double open(PathId id, OuterStep round, const PathTable& paths, const TaskLengths& lengths) {
  const PathEntry& path = paths.at(id);
  if (path.phase == Phase::done) return 0;
  if (lengths.differ()) return lengths.lacks(path.trained + (is_given(path) ? path.length : 0), round);
  if (path.outer_step > round) return 0;
  if (!is_given(path)) return 1;
  return path.outer_step < round && paths.step_after(id) <= round ? 1 : 0;
}

/// Whether the path trains at the outer step, and its task of it is given out or done. Most paths are before or at it.
bool is_past(PathId id, OuterStep outer_step, const PathTable& paths, const TaskLengths& lengths) {
  const PathEntry& path = paths.at(id);
  const bool in_order = !lengths.differ() && path.phase != Phase::done;
  if (in_order && path.outer_step < outer_step) return false;
  if (in_order && path.outer_step == outer_step) return is_given(path);
  return paths.trains(id, outer_step) && open(id, outer_step, paths, lengths) <= 0;
}

/// What a whole task takes the worker alone: where its usual one is shorter, several, each of which is exchanged.
Seconds whole_by(const Fleet::Worker& worker, const Fleet& fleet, const SiteWays& ways) {
  const TaskLengths& lengths = fleet.cost().lengths;
  if (!lengths.differ()) return fleet.task_of(worker);
  const double exchanges =
      std::ceil(static_cast<double>(lengths.whole()) / lengths.usual(worker.speed, fleet.speeds())) - 1;
  return task_time(fleet, worker, lengths.whole()) + exchanges * ways.after(worker.site, 1, true);
}

/// The least until a path has a whole task more, of which the worker does its usual one: one of the fastest may do the
/// rest, once that is exchanged.
Seconds whole_with_others(const Fleet::Worker& worker, const Fleet& fleet, const SiteWays& ways) {
  const TaskLengths& lengths = fleet.cost().lengths;
  const std::int32_t rest = lengths.whole() - lengths.usual(worker.speed, fleet.speeds());
  const Seconds by_fastest = task_time(fleet, {}, rest) + ways.after(worker.site, 1, true);
  return std::min(whole_by(worker, fleet, ways), fleet.task_of(worker) + by_fastest);
}

/// Where the state is that the path's next task begins with, or will be.
SiteId home_of(const PathEntry& path, const Fleet& fleet) {
  const Fleet::Worker* const worker = is_given(path) ? fleet.workers().find(path.attempt.worker) : nullptr;
  return worker != nullptr ? worker->site : path.site;
}

std::int64_t whole_tasks(double tasks) { return static_cast<std::int64_t>(std::ceil(tasks - kRounding)); }

}  // namespace

void Reserve::plan_by(std::shared_ptr<const Schedule> schedule, TaskCost cost) {
  schedule_ = std::move(schedule);
  fleet_.cost_is(cost);
  ways_.state_is(cost.state);
  foresee_anew();
}

/// If the site does so many tasks more beside those that it has of the outer step.
Delivery Reserve::delivery(SiteId site, const Horizon& horizon, bool new_here, std::int64_t more) const {
  const auto found = horizon.given.find(site);
  const GivenOut given = found == horizon.given.end() ? GivenOut() : found->second;
  const Seconds all = ways_.after(site, given.tasks + more, new_here);
  // In rounds tasks of a site end together, and those behind them wait for the same versions.
  if (fleet_.cost().rounds) return {all, all};
  return {ways_.after(site, 1, new_here), all, given.first_end};
}

/// No site's workers have what they do sooner where it is needed, but for noise.
bool Reserve::is_near(const Fleet::Worker& worker, const Horizon& horizon, bool new_here, Seconds now) const {
  const Seconds task = fleet_.task_of(worker);
  const auto done_at = [&](SiteId site) { return delivery(site, horizon, new_here).done_at(now + task); };
  const Seconds least = done_at(worker.site) - Speeds::kSame * task;
  return std::ranges::none_of(ways_.sites(), [&](SiteId site) { return done_at(site) < least; });
}

OpenTasks Reserve::tasks_until(OuterStep round, const PathTable& paths, Seconds now) {
  OpenTasks tasks{.coming_at = now};
  std::optional<OuterStep> before;  // a round whose tasks are queued still
  std::map<SiteId, double> queued_at;
  std::map<SiteId, double> coming_at;
  for (std::int32_t p = 0; p < paths.size(); ++p) {
    const PathEntry& path = paths.at(PathId{p});
    const double its = open(PathId{p}, round, paths, fleet_.cost().lengths);
    if (its <= 0) continue;
    const bool queued = path.phase == Phase::queued;
    (queued ? queued_at : coming_at)[home_of(path, fleet_)] += its;
    if (!queued) continue;
    const OuterStep its_round = fleet_.cost().lengths.round_of(path);
    if (its_round < round) before = std::max(before.value_or(its_round), its_round);
  }
  for (const auto& [home, count] : queued_at) tasks.queued[home] = whole_tasks(count);
  for (const auto& [home, count] : coming_at) tasks.coming[home] = whole_tasks(count);
  if (tasks.coming.empty() || !fleet_.cost().rounds) return tasks;
  for (const auto& [node, worker] : fleet_.workers()) {
    if (worker.busy && worker.outer_step < round) {
      tasks.coming_at = std::max(tasks.coming_at, worker.free_at(now));
    }
  }
  if (before) tasks.coming_at = std::max(tasks.coming_at, horizon(*before, paths, now).end);
  return tasks;
}

void Reserve::count_spare(Horizon& horizon, const OpenTasks& tasks, Seconds now) const {
  for (const auto& [node, worker] : fleet_.workers()) {
    const Seconds end =
        delivery(worker.site, horizon, horizon.new_here).latest_end(horizon.end) + kRounding * horizon.end;
    const double can_do = (end - worker.free_at(now)) / whole_by(worker, fleet_, ways_);
    if (can_do > 0) horizon.spare[worker.site] += static_cast<std::int64_t>(std::floor(can_do + kRounding));
  }
  for (const auto* const homes : {&tasks.queued, &tasks.coming}) {
    for (const auto& [home, count] : *homes) {
      if (home != kNowhere) horizon.spare[home] -= count;
    }
  }
}

/// What has been given out of the outer step. REQUIRES a look at the ways
Reserve::Horizon& Reserve::begun(OuterStep outer_step, const PathTable& paths, Seconds now) {
  const auto [known, is_new] = horizons_.try_emplace(outer_step);
  Horizon& horizon = known->second;
  if (!is_new || !ways_.exchange_matters()) return horizon;
  std::pair<SiteId, GivenOut*> last{kNowhere, nullptr};  // paths of a site are often side by side
  for (std::int32_t p = 0; p < paths.size(); ++p) {
    const PathId id{p};
    if (!is_past(id, outer_step, paths, fleet_.cost().lengths)) continue;
    const PathEntry& path = paths.at(id);  // at the step, or through with it
    const Fleet::Worker* const worker = is_given(path) ? fleet_.workers().find(path.attempt.worker) : nullptr;
    const SiteId home = worker != nullptr ? worker->site : path.site;
    if (last.second == nullptr || last.first != home) last = {home, &horizon.given[home]};
    const bool at_it = worker != nullptr && path.outer_step == outer_step;
    last.second->add(at_it ? worker->free_at(now) : path.since);
  }
  return horizon;
}

const Reserve::Horizon& Reserve::horizon(OuterStep outer_step, const PathTable& paths, Seconds now) {
  if (const auto known = horizons_.find(outer_step); known != horizons_.end() && known->second.whole) {
    return known->second;
  }
  ways_.look(fleet_, paths.size());
  OpenTasks tasks = tasks_until(outer_step, paths, now);
  Horizon& horizon = begun(outer_step, paths, now);
  horizon.whole = true;
  for (const auto* const homes : {&tasks.queued, &tasks.coming}) {
    for (const auto& [home, count] : *homes) ways_.states_at(home);
  }
  horizon.new_here = !fleet_.cost().rounds || tasks.queued.contains(kNowhere) || tasks.coming.contains(kNowhere);
  if (ways_.exchange_matters()) {
    tasks.delivery = [&](SiteId site, std::int64_t more) { return delivery(site, horizon, horizon.new_here, more); };
  }
  std::vector<WorkerTimes> times;
  times.reserve(fleet_.workers().size());
  for (const auto& [node, worker] : fleet_.workers()) {
    times.push_back({whole_by(worker, fleet_, ways_), worker.free_at(now), worker.site});
  }
  tasks.way_free = ways_.coming().free_at();
  horizon.end = schedule_->all_done_at(times, tasks, ways_.moves().all());
  if (!std::isinf(horizon.end.count())) count_spare(horizon, tasks, now);
  return horizon;
}

/// Whether the path's state goes to another site: where it is there are too few workers to do all in time, and at the
/// other are more than it needs.
bool Reserve::may_leave(const PathEntry& path, SiteId for_site, const Horizon& horizon) const {
  if (path.site == kNowhere || path.site == for_site || std::isinf(horizon.end.count())) return true;
  const auto spare = [&](SiteId site) {
    const auto found = horizon.spare.find(site);
    return found == horizon.spare.end() ? 0 : found->second;
  };
  return spare(path.site) < 0 && spare(for_site) > 0;
}

std::uint64_t Reserve::foresee(Seconds now) {
  fleet_.look(now);
  const std::pair state(now, changes());
  if (std::exchange(seen_, state) != state) horizons_.clear();
  return changes() + surprises_;
}

bool Reserve::in_time(NodeId node, OuterStep outer_step, const PathTable& paths, Seconds now) {
  const Fleet::Worker& worker = fleet_.workers().at(node);
  if (fleet_.speeds().is_fast(worker.speed)) return true;
  const Horizon& by = horizon(outer_step, paths, now);
  const Seconds done = delivery(worker.site, by, false).done_at(now + fleet_.task_of(worker));
  return done <= by.end + kRounding * done;
}

bool Reserve::takes(NodeId node, const PathEntry& path, const PathTable& paths, Seconds now) {
  const Fleet::Worker& worker = fleet_.workers().at(node);
  const bool new_here = path.site == kNowhere || !fleet_.cost().rounds;
  ways_.look(fleet_, paths.size());
  // Whatever there is to do: nobody would end it sooner, or nearer.
  const bool first = fleet_.speeds().is_fast(worker.speed) && stays(path, node);
  if (first && !ways_.exchange_matters()) return true;
  const OuterStep round = fleet_.cost().lengths.round_of(path);
  if (first && is_near(worker, begun(round, paths, now), new_here, now)) return true;
  const Horizon& by = horizon(round, paths, now);
  const Seconds move = ways_.moves().of(path, worker.site);
  const Seconds waits = move > Seconds(0) ? ways_.coming().free_at(worker.site, now) - now : Seconds(0);
  const Seconds task =
      fleet_.cost().lengths.differ() ? whole_with_others(worker, fleet_, ways_) : fleet_.rest_of(worker, path);
  const Seconds done = delivery(worker.site, by, new_here).done_at(now + waits + move + task);
  return done <= by.end + kRounding * done && may_leave(path, worker.site, by);
}

std::optional<HeldBack> Reserve::holds_back(NodeId node, OuterStep outer_step, const PathTable& paths, Seconds now) {
  const Horizon& by = horizon(outer_step, paths, now);
  const Fleet::Worker& worker = fleet_.workers().at(node);
  const Seconds task = delivery(worker.site, by, by.new_here).done_at(now + fleet_.task_of(worker)) - now;
  const Seconds left = by.end - now;
  return task > left + kRounding * (task + now) ? std::optional(HeldBack{node, task, left}) : std::nullopt;
}

/// What was foreseen holds: the worker's part of it is done, and so is the task.
std::uint64_t Reserve::gives(NodeId node, const PathEntry& path, Seconds now) {
  fleet_.begins(node, path, now);
  const Seconds move = stays(path, node) ? Seconds(0) : ways_.moves().of(path, fleet_.workers().at(node).site);
  if (move > Seconds(0)) ways_.coming().begins(node, fleet_.workers().at(node).site, move, now);
  seen_.second = changes();
  const SiteId site = fleet_.workers().at(node).site;
  for (auto& [step, horizon] : horizons_) {
    if (step < fleet_.cost().lengths.round_of(path)) continue;
    if (step == fleet_.cost().lengths.round_of(path)) horizon.given[site].add(fleet_.workers().at(node).free_at(now));
    if (path.site == site || !horizon.whole) continue;
    --horizon.spare[site];
    if (path.site != kNowhere) ++horizon.spare[path.site];
  }
  return changes() + surprises_;
}

std::optional<Seconds> Reserve::looks_again_at(Seconds now) const {
  return matters() ? fleet_.late_at(now) : std::nullopt;
}

}  // namespace dipaco
