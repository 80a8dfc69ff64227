#include "core/coordinator/diagnosis.hpp"

#include <algorithm>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
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
  run_.options.progress(progress());
}

std::optional<Seconds> Diagnosis::tells_at() const {
  return run_.options.tell_waiting ? std::optional(told_at_ + kBetweenTold) : std::nullopt;
}

RunProgress Diagnosis::progress() const {
  RunProgress progress{.now = run_.now(),
                       .tasks_committed = run_.queue.paths().committed_tasks(),
                       .tasks = run_.plan.timetable.tasks(),
                       .outer_step = run_.queue.lowest_version(),
                       .loss = run_.losses.mean()};
  constexpr std::size_t kTold = 20;
  const bool told = run_.options.tell_waiting && run_.awaited.started();
  for (std::int32_t p = 0; told && p < run_.plan.topology.paths(); ++p) {
    if (progress.waiting_for.size() == kTold) break;
    if (run_.queue.path(PathId{p}).phase != PathEntry::Phase::done)
      progress.waiting_for.push_back(waits_for(PathId{p}));
  }
  return progress;
}

/// What a path that is not done waits for, of whom and since when.
std::string Diagnosis::waits_for(PathId id) const {
  const PathEntry& path = run_.queue.path(id);
  std::string what = text(id) + ", outer step " + std::to_string(path.outer_step);
  const auto stores = [&] {
    std::string names;
    for (const NodeId store : path.to_stores) names += (names.empty() ? "" : ", ") + std::to_string(index(store));
    return names.empty() ? std::string("a store") : "store " + names;
  };
  if (path.phase == PathEntry::Phase::queued) {
    const std::int32_t phase = run_.plan.timetable.phase_of(path.outer_step);
    what += !run_.resharding.ready(phase)
                ? ", waits for the shards of phase " + std::to_string(phase) + " (" + run_.resharding.state() + ")"
            : run_.reachable(id) ? ", waits for a worker"
                                 : ", waits for " + stores() + ", which has its state";
  }
  if (path.phase == PathEntry::Phase::running) {
    what += ", waits for worker " + std::to_string(index(path.worker)) + what_moves(run_.inquiries.find(path.worker));
  }
  if (path.phase == PathEntry::Phase::in_question) what += ", waits for the answer of " + stores();
  const auto missing = run_.queue.missing_modules(id);
  if (!missing.empty()) {
    const NodeId owner = run_.ownership.owner(missing.front()).executor;
    what += ", waits for " + text(missing.front()) +
            (owner == NodeId{-1} ? ", which no executor has" : " of executor " + std::to_string(index(owner)));
  }
  return what + " since " + format_number(path.since.count()) + " s";
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
  for (std::int32_t p = 0; run_.awaited.started() && p < run_.plan.topology.paths(); ++p) {
    if (run_.queue.path(PathId{p}).phase == PathEntry::Phase::done) continue;
    what += "; " + waits_for(PathId{p});
    break;
  }
  what += jobs_awaited();
  if (evaluations_.trained()) {
    what += "; training has ended, " + std::to_string(run_.jobs.waiting().size() + run_.jobs.given().size()) +
            " evaluations and " + std::to_string(model_.parts_lacking()) + " parts of the model are awaited";
  }
  throw RunError(static_cast<int>(ExitStatus::no_progress), what);
}

}  // namespace dipaco
