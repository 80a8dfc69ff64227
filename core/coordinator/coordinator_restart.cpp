#include <algorithm>

#include "core/coordinator/coordinator.hpp"

namespace dipaco {

/// Goes on where the journal ends. A coordinator that began anew in a run that goes on asks all whom it knew to say
/// hello; in a run that was begun anew as a whole they come by themselves, and no attempt is out any more.
void Coordinator::restore() {
  const LedgerState& state = ledger_.state();
  const EveryRecord every{static_cast<std::int32_t>(plan_.config.evaluate.every)};
  if (!ledger_.begun()) {
    ledger_.note(every);
    return;
  }
  if (state.every && state.every->every != every.every) give_up_evaluations();
  ledger_.note(every);
  const bool run_goes_on = seams_.transport.incarnation() > 0;
  for (const auto& [module, owner] : state.owners) ownership_.restore(owner, run_goes_on);
  for (const auto& [module, known] : state.modules) {
    ownership_.restore(module, known.version);
    queue_.restore(module, known.version, known.settled);
  }
  restore_evaluations();
  if (state.trained) {
    trained_ = true;
    result_.duration = Seconds(state.trained->duration_s);
  }
  restore_paths(run_goes_on);
  if (state.finished) {
    finish();
    return;
  }
  if (run_goes_on) {
    started_ = true;
    owners_told_ = false;
    for (const auto& [node, role] : state.members) {
      if (role == Role::store || role == Role::executor) awaited_.insert(node);
      send(node, WhoIsThere{});
    }
  }
}

/// The run goes on with another evaluate.every. What is due now and was not before is kept by nobody any more, where
/// the run has gone on from it; at the newest version known here that may be so already.
void Coordinator::give_up_evaluations() {
  const LedgerState& state = ledger_.state();
  const std::int32_t before = state.every->every;
  std::int32_t newest = 0;
  for (const auto& [module, known] : state.modules) newest = std::max(newest, number(known.version));
  for (const auto& [id, path] : state.paths) newest = std::max(newest, path.version);
  for (std::int32_t version = 1; version <= newest; ++version) {
    const auto due = plan_.timetable.due(version);
    const bool now = std::find(due.begin(), due.end(), Purpose::progress) != due.end();
    const bool kept = before > 0 && version % before == 0;
    if (now && !kept && !state.closed.contains({version, Purpose::progress})) {
      ledger_.note(ClosedRecord{.version = version, .purpose = Purpose::progress, .documents = kGivenUp});
    }
  }
}

void Coordinator::restore_evaluations() {
  const LedgerState& state = ledger_.state();
  for (const auto& [place, closed] : state.closed) {
    closed_.insert(place);
    const Score all{closed.nats, closed.tokens, closed.bytes, closed.documents};
    if (place.second == Purpose::progress && all.documents != kGivenUp)
      result_.evaluations.emplace_back(place.first, all);
  }
  for (const auto& [place, scores] : state.scores) {
    for (const auto& [path, score] : scores) {
      scores_[place].emplace(path, Score{score.nats, score.tokens, score.bytes, score.documents});
    }
  }
  for (const auto& [path, score] : state.results) {
    results_.emplace(path, Score{score.nats, score.tokens, score.bytes, score.documents});
  }
  best_ = state.best;
  release_closed();
}

void Coordinator::restore_paths(bool run_goes_on) {
  const LedgerState& state = ledger_.state();
  for (const auto& [id, path] : state.paths) {
    PathEntry entry;
    entry.version = path.version;
    entry.state_epoch = path.state_epoch;
    entry.inner_steps = entry.first_inner_step = path.inner_steps;
    entry.epoch = path.epoch;
    entry.site = path.site;
    entry.worker = run_goes_on ? path.worker : NodeId{-1};
    entry.to_stores = path.to_stores;
    entry.base = path.base;
    entry.state_base = path.state_base;
    entry.since = seams_.compute.now();
    losses_.set(id, path.loss_sum / static_cast<double>(plan_.config.inner.steps));
    const bool attempted = path.epoch > 0;
    queue_.restore(id, entry, attempted);
    if (attempted && run_goes_on) lease(id);
    if (attempted && !run_goes_on) question(id);
  }
  queue_.start(seams_.compute.now());
  restore_refusals();
  for (std::int32_t p = 0; p < plan_.topology.paths(); ++p) {
    const PathId id{p};
    const PathEntry& path = queue_.path(id);
    for (std::int32_t v = retention_.released().version + 1; v < path.version; ++v) want_evaluations(id, v);
    want_reached(id);
    doubt_gradients(id);
  }
  note_end();
}

}  // namespace dipaco
