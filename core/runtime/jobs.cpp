#include "core/runtime/jobs.hpp"

#include <algorithm>

namespace dipaco {

void JobList::want(const Job& job) {
  const bool at_work = std::any_of(given_.begin(), given_.end(), [&](const auto& at) { return at.second.job == job; });
  if (!at_work) waiting_.insert(job);
}

void JobList::give(const Job& job, NodeId node, NodeId store) {
  waiting_.erase(job);
  given_[node] = {job, store};
}

void JobList::take_back(NodeId node) {
  if (const auto given = given_.extract(node)) want(given.mapped().job);
}

std::vector<NodeId> JobList::done(const Job& job) {
  waiting_.erase(job);
  std::vector<NodeId> free;
  for (auto at = given_.begin(); at != given_.end();) {
    if (at->second.job == job) free.push_back(at->first);
    at = at->second.job == job ? given_.erase(at) : std::next(at);
  }
  return free;
}

}  // namespace dipaco
