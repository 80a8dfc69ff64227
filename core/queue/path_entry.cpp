#include "core/queue/path_entry.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {

bool PathEntry::concerns(NodeId store) const {
  return from_store == store || std::ranges::find(to_stores, store) != to_stores.end();
}

Epoch PathEntry::question(Seconds now) {
  check(phase == Phase::running, "only a running attempt is in question");
  phase = Phase::in_question;
  asked.clear();
  answered = false;
  since = now;
  return epoch + 1;
}

void PathEntry::note_handed_back(std::int32_t steps, SiteId at_site) {
  if (steps <= inner_steps) return;
  inner_steps = steps;
  site = at_site;
}

bool PathEntry::note_refused(Epoch attempt, NodeId by_worker) {
  spoiled_by.insert(by_worker);
  return refused.insert(attempt).second;
}

}  // namespace dipaco
