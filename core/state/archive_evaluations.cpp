#include "core/state/archive_evaluations.hpp"

#include <algorithm>
#include <iterator>

namespace dipaco {

bool ArchiveEvaluations::add(const Evaluated& score) {
  const Score sum{score.nats, score.tokens, score.bytes, score.documents};
  if (!scores_[{score.version, score.purpose}].emplace(score.path, sum).second) return false;
  if (score.purpose == Purpose::early_stopping) note_best(best_, score);
  return true;
}

std::optional<Score> ArchiveEvaluations::score(const Evaluate& request) const {
  const auto scores = scores_.find({request.version, request.purpose});
  if (scores == scores_.end()) return std::nullopt;
  const auto found = scores->second.find(request.path);
  return found == scores->second.end() ? std::nullopt : std::optional(found->second);
}

bool ArchiveEvaluations::done(std::int32_t version, Purpose purpose) const {
  if (purpose == Purpose::routing) return resharded_.contains(plan_.timetable.phase_of(OuterStep{version}));
  const auto scores = scores_.find({version, purpose});
  return scores != scores_.end() && std::ssize(scores->second) == plan_.topology.paths();
}

std::optional<Released> ArchiveEvaluations::release() {
  Released released{released_, {}};
  for (std::int32_t next = released_ + 1; next < plan_.timetable.end(); ++next) {
    const auto due = plan_.timetable.due(next);
    if (!std::ranges::all_of(due, [&](Purpose purpose) { return done(next, purpose); })) break;
    if (!due.empty()) released.version = next;
  }
  if (released.version == released_) return std::nullopt;
  released_ = released.version;
  for (const auto& [path, best] : best_) released.best.push_back({path, best.version});
  return released;
}

}  // namespace dipaco
