#include "core/coordinator/diagnosis.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/coordinator/known/measurements.hpp"
#include "core/coordinator/known/movements.hpp"
#include "core/coordinator/known/reserves.hpp"
#include "core/coordinator/known/usual_time.hpp"
#include "core/state/path_values.hpp"

namespace dipaco {
namespace {

constexpr Seconds kBetweenTold{1};

}  // namespace

void Diagnosis::tell_progress() const {
  if (run_.options.progress) run_.options.progress(progress());
}

void Diagnosis::tell_waiting() {
  if (!run_.options.tell_waiting || run_.now() < told_at_ + kBetweenTold) return;
  told_at_ = run_.now();
  if (run_.options.looked_at && run_.options.looked_at()) ask_for_person(run_);
  tell_progress();
}

std::optional<Seconds> Diagnosis::tells_at() const {
  return run_.options.tell_waiting ? std::optional(told_at_ + kBetweenTold) : std::nullopt;
}

RunProgress Diagnosis::progress() const {
  const std::int64_t each = run_.plan.config.inner.steps;
  const PathTable& paths = run_.queue.paths();
  const bool differ = run_.lengths.differ();
  RunProgress progress{.now = run_.now(),
                       .tasks_committed = paths.committed_tasks(),
                       .tasks = run_.plan.timetable.tasks(),
                       .inner_steps = paths.trained(),
                       .inner_steps_in_all = run_.plan.timetable.inner_steps(),
                       .outer_step = differ ? paths.trained() / (each * paths.size()) : run_.queue.lowest_version(),
                       .loss = run_.losses.mean(),
                       .slow_workers = slow_workers(run_),
                       .in_reserve = workers_in_reserve(run_)};
  if (run_.options.tell_waiting) progress.sent_elsewhere = sent_elsewhere(run_);
  constexpr std::size_t kTold = 20;
  const bool told = run_.options.tell_waiting && run_.awaited.started();
  for (std::int32_t p = 0; told && p < run_.plan.topology.paths(); ++p) {
    if (progress.waiting_for.size() == kTold) break;
    if (run_.queue.path(PathId{p}).phase == PathEntry::Phase::done) continue;
    progress.waiting_for.push_back(waits_for(PathId{p}));
    if (is_late(PathId{p})) progress.late.push_back(progress.waiting_for.back());
  }
  return progress;
}

/// What a person may do so that the run goes on.
std::string Diagnosis::remedy() const {
  const bool missing = run_.members.count(Role::executor) < run_.options.executors ||
                       run_.members.count(Role::store) < run_.options.stores;
  if (missing) return lines_to_mend(run_.members, run_.now()) + "start the executors and stores that are missing";
  if (run_.members.count(Role::worker) == 0) return "start workers";
  const auto& [node, slowest] = largest_of_any(run_);
  if (slowest == nullptr) return "look after the nodes named here, or write a longer liveness.deadline";
  return "the way between node " + named(run_, slowest->peer) + " and node " + named(run_, node) +
         " is in the way, with " + moving(*slowest, *run_.inquiries.find(node)) + " of " + name(slowest->kind) +
         " there: mend it or give it more bandwidth, let less cross it (outer.outer_gradient_format, run.replicas), or "
         "write a longer liveness.deadline";
}

/// What a path that is not done waits for, of whom and since when.
std::string Diagnosis::waits_for(PathId id) const {
  const PathEntry& path = run_.queue.path(id);
  std::string what = text(id) + ", outer step " + std::to_string(number(path.outer_step));
  const auto stores = [&](bool gone) {
    std::string names;
    for (const NodeId store : path.attempt.to_stores) {
      if (!gone || run_.members.find(store) == nullptr) names += (names.empty() ? "" : ", ") + named(run_, store);
    }
    return names.empty() ? std::string("a store") : "store " + names;
  };
  if (path.phase == PathEntry::Phase::queued) {
    const std::int32_t phase = run_.plan.timetable.phase_of(path.outer_step);
    what += !run_.resharding.ready(phase)
                ? ", waits for the shards of phase " + std::to_string(phase) + " (" + run_.resharding.state() + ")"
            : run_.reachable(id) ? ", waits for a worker"
                                 : ", waits for " + stores(true) + " at site " + std::to_string(index(path.site)) +
                                       ", which has its state and is not there,";
  }
  if (path.phase == PathEntry::Phase::running) {
    what += ", waits for worker " + named(run_, path.attempt.worker) + what_moves(run_, path.attempt.worker);
  }
  if (path.phase == PathEntry::Phase::in_question) what += ", waits for the answer of " + stores(false);
  const auto missing = run_.queue.missing_modules(id);
  if (!missing.empty()) {
    const NodeId owner = run_.ownership.owner(missing.front()).executor;
    what += ", waits for " + text(missing.front()) +
            (owner == NodeId{-1} ? ", which no executor has"
                                 : " of executor " + named(run_, owner) + what_moves(run_, owner));
  }
  if (run_.queue.resting().contains(id)) what += ", waits to begin with others (outer.grace)";
  return what + " since " + format_fixed(path.since.count(), 1) + " s";
}

/// Whether the path's task takes longer than tasks do, or whoever it waits for is not there.
bool Diagnosis::is_late(PathId id) const {
  const PathEntry& path = run_.queue.path(id);
  const std::int32_t phase = run_.plan.timetable.phase_of(path.outer_step);
  if (path.phase == PathEntry::Phase::queued && run_.resharding.ready(phase) && !run_.reachable(id)) return true;
  for (const ModuleId module : run_.queue.missing_modules(id)) {
    if (run_.ownership.owner(module).executor == NodeId{-1}) return true;
  }
  if (path.phase != PathEntry::Phase::running || path.attempt.done) return false;
  const auto usual = usual_time(run_, path.attempt.worker, path.length);
  return usual && run_.now() > path.attempt.since.value_or(path.since) + late_after(*usual);
}

/// Who has which evaluation or step of a re-sharding, the first few, and how many nobody has.
std::string Diagnosis::jobs_awaited() const {
  constexpr int kNamed = 8;
  std::string what;
  int named = 0;
  for (const auto& [node, given] : run_.jobs.given()) {
    if (named++ == kNamed) break;
    what += (what.empty() ? "; jobs are awaited of node " : ", ") + std::to_string(index(node));
  }
  const std::size_t waiting = run_.jobs.waiting().size();
  return waiting == 0 ? what : what + "; " + std::to_string(waiting) + " jobs wait for a node";
}

void Diagnosis::no_progress() const {
  const auto up = [&](Role role) { return std::to_string(run_.members.count(role)); };
  const auto aside =
      std::ranges::count_if(run_.members.with(Role::worker), [&](NodeId node) { return refusals_.is_set_aside(node); });
  std::string what = "no progress for " + format_number(run_.plan.config.liveness.deadline.count()) +
                     " s: " + up(Role::worker) + " workers, " +
                     (aside > 0 ? std::to_string(aside) + " of them set aside, " : "") + up(Role::executor) + " of " +
                     std::to_string(run_.options.executors) + " executors and " + up(Role::store) + " of " +
                     std::to_string(run_.options.stores) + " stores are there";
  std::optional<PathId> named;  // not one that waits for other paths: for their modules, or resting
  for (std::int32_t p = 0; run_.awaited.started() && p < run_.plan.topology.paths(); ++p) {
    const bool out =
        run_.queue.path(PathId{p}).phase == PathEntry::Phase::done || run_.queue.resting().contains(PathId{p});
    if (!out && (!named || !run_.queue.missing_modules(*named).empty())) named = PathId{p};
  }
  if (named) what += "; " + waits_for(*named);
  what += jobs_awaited();
  if (evaluations_.trained()) {
    what += "; training has ended, " + std::to_string(run_.jobs.waiting().size() + run_.jobs.given().size()) +
            " evaluations and " + std::to_string(model_.parts_lacking()) + " parts of the model are awaited";
  }
  throw RunError(static_cast<int>(ExitStatus::no_progress), what + "; " + remedy());
}

}  // namespace dipaco
