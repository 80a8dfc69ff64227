#include "core/queue/path_entry.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {

bool TaskAttempt::concerns(NodeId store) const {
  return from_store == store || std::ranges::find(to_stores, store) != to_stores.end();
}

void PathEntry::question(Seconds now) {
  check(phase == Phase::running && !backup, "only a running attempt is in question, and only the last that runs");
  phase = Phase::in_question;
  asked.clear();
  answered = false;
  since = now;
}

const TaskAttempt* PathEntry::running(NodeId worker, Epoch epoch) const {
  if (phase != Phase::running) return nullptr;
  const auto is_it = [&](const TaskAttempt& it) { return it.worker == worker && it.epoch == epoch; };
  return is_it(attempt) ? &attempt : backup && is_it(*backup) ? &*backup : nullptr;
}

void PathEntry::note_handed_back(std::int32_t steps, SiteId at_site) {
  if (steps <= inner_steps) return;
  inner_steps = steps;
  site = at_site;
}

bool PathEntry::note_refused(Epoch its_attempt, NodeId by_worker) {
  spoiled_by.insert(by_worker);
  return refused.insert(its_attempt).second;
}

}  // namespace dipaco
