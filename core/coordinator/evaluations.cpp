#include "core/coordinator/evaluations.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace dipaco {
namespace {

Score score_in(const Evaluated& message) { return {message.nats, message.tokens, message.bytes, message.documents}; }

}  // namespace

void Evaluations::note_every() {
  const EveryRecord every{static_cast<std::int32_t>(run_.plan.config.evaluate.every)};
  const auto& before = run_.ledger.state().every;
  if (run_.ledger.begun() && before && before->every != every.every) give_up();
  run_.ledger.note(every);
}

/// The run goes on with another evaluate.every. What is due now and was not before is kept by nobody any more, where
/// the run has gone on from it; at the newest version known here that may be so already.
void Evaluations::give_up() {
  const LedgerState& state = run_.ledger.state();
  const std::int32_t before = state.every->every;
  std::int32_t newest = 0;
  for (const auto& [module, known] : state.modules) newest = std::max(newest, number(known.version));
  for (const auto& [id, path] : state.paths) newest = std::max(newest, path.version);
  for (std::int32_t version = 1; version <= newest; ++version) {
    const auto due = run_.plan.timetable.due(version);
    const bool now = std::find(due.begin(), due.end(), Purpose::progress) != due.end();
    const bool kept = before > 0 && version % before == 0;
    if (now && !kept && !state.closed.contains({version, Purpose::progress})) {
      run_.ledger.note(ClosedRecord{.version = version, .purpose = Purpose::progress, .documents = kGivenUp});
    }
  }
}

void Evaluations::restore() {
  const LedgerState& state = run_.ledger.state();
  for (const auto& [place, closed] : state.closed) {
    closed_.insert(place);
    const Score all{closed.nats, closed.tokens, closed.bytes, closed.documents};
    if (place.second == Purpose::progress && all.documents != kGivenUp)
      run_.result.evaluations.emplace_back(place.first, all);
  }
  for (const auto& [place, scores] : state.scores) {
    for (const auto& [path, score] : scores) scores_[place].emplace(path, score_in(score));
  }
  for (const auto& [path, score] : state.results) results_.emplace(path, score_in(score));
  best_ = state.best;
  close_whole();
  release_closed();
  if (state.trained) {
    trained_ = true;
    run_.result.duration = Seconds(state.trained->duration_s);
  }
}

/// Closes what a write that was stopped has left with all its scores and without its end: nobody scores it again.
void Evaluations::close_whole() {
  std::vector<Due> whole;
  for (const auto& [place, scores] : scores_) {
    if (std::ssize(scores) == run_.plan.topology.paths()) whole.push_back(place);
  }
  for (const auto& [version, purpose] : whole) close(version, purpose);
}

void Evaluations::want(PathId path, std::int32_t version) {
  if (!run_.resharding.ready(run_.plan.timetable.phase_of_version(version))) return;
  for (const Purpose purpose : run_.plan.timetable.due(version)) {
    const auto scored = scores_.find({version, purpose});
    const bool known = purpose == Purpose::routing ? run_.resharding.has_score(path, version)
                                                   : scored != scores_.end() && scored->second.contains(path);
    if (!known && !closed(version, purpose)) run_.jobs.want(job_of(purpose, version, path));
  }
}

void Evaluations::want_reached(PathId id) {
  const PathEntry& path = run_.queue.path(id);
  std::int32_t reached = number(path.outer_step);
  const auto due = [&](std::int32_t version) { return !run_.plan.timetable.due(version).empty(); };
  if (std::ranges::none_of(std::views::iota(path.version, std::max(path.version, reached) + 1), due)) return;
  for (const ModuleId module : run_.queue.missing_modules(id)) {
    reached = std::min(reached, number(run_.queue.modules().version(module)));
  }
  for (std::int32_t version = path.version; version <= reached; ++version) want(id, version);
}

bool Evaluations::closed(std::int32_t version, Purpose purpose) const {
  if (purpose == Purpose::routing) return run_.resharding.ready(run_.plan.timetable.phase_of(OuterStep{version}));
  return closed_.contains({version, purpose});
}

/// Whether all that is due with the version is closed.
bool Evaluations::all_closed(std::int32_t version) const {
  const auto due = run_.plan.timetable.due(version);
  return std::all_of(due.begin(), due.end(), [&](Purpose purpose) { return closed(version, purpose); });
}

/// The run's result is each path's best version, or its last.
void Evaluations::want_results() {
  if (!trained_ || !run_.plan.scores) return;
  for (std::int32_t next = run_.retention.released().version + 1; next <= run_.last_version(); ++next) {
    if (!all_closed(next)) return;
  }
  for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) {
    const PathId path{p};
    if (!results_.contains(path)) run_.jobs.want(job_of(Purpose::result, best_version(path), path));
  }
}

std::int32_t Evaluations::best_version(PathId path) const {
  const auto best = best_.find(path);
  return best == best_.end() ? run_.last_version(path) : best->second.version;
}

void Evaluations::scored(const Evaluated& message) {
  const Score score = score_in(message);
  if (message.purpose == Purpose::result) {
    if (!results_.emplace(message.path, score).second) return;
    run_.made_progress();
    run_.ledger.note(message);
    return;
  }
  auto& scores = scores_[{message.version, message.purpose}];
  if (closed(message.version, message.purpose) || !scores.emplace(message.path, score).second) return;
  run_.made_progress();
  run_.ledger.note(message);
  if (message.purpose == Purpose::early_stopping) note_best(best_, message);
  if (std::ssize(scores) == run_.plan.topology.paths()) close(message.version, message.purpose);
}

void Evaluations::close(std::int32_t version, Purpose purpose) {
  Score all;
  for (const auto& [path, score] : scores_[{version, purpose}]) all += score;  // by path: sums in one order
  scores_.erase({version, purpose});
  closed_.emplace(version, purpose);
  run_.ledger.note(ClosedRecord{version, purpose, all.nats, all.tokens, all.bytes, all.documents});
  if (purpose == Purpose::progress) run_.result.evaluations.emplace_back(version, all);
  release_closed();
  want_results();
}

void Evaluations::note_end() {
  if (!trained_) parts_.end();
  if (!trained_ && run_.queue.paths().all_done() && parts_.merged()) {
    trained_ = true;
    run_.result.duration = run_.now();
    run_.ledger.note(TrainedRecord{run_.result.duration.count()});
    for (std::int32_t p = 0; p < run_.plan.topology.paths(); ++p) want_reached(PathId{p});
  }
  want_results();
}

void Evaluations::release_closed() {
  Released released{run_.retention.released().version, {}};
  for (std::int32_t next = released.version + 1; next <= run_.last_version() && all_closed(next); ++next) {
    if (!run_.plan.timetable.due(next).empty()) released.version = next;
  }
  for (const auto& [path, best] : best_) released.best.push_back({path, best.version});
  if (!run_.retention.release(std::move(released))) return;
  run_.ledger.flush();  // what is closed stays so: its shards are gone
  run_.resharding.forget_before(run_.plan.timetable.phase_of(OuterStep{run_.retention.released().version}));
  for (const Role role : {Role::executor, Role::store}) {
    for (const NodeId node : run_.members.with(role)) run_.send(node, Release{run_.retention.released()});
  }
}

}  // namespace dipaco
