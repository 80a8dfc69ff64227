#include "core/runtime/jobs.hpp"

#include <algorithm>

namespace dipaco {

void JobList::want(const Job& job) {
  const bool at_work = std::any_of(given_.begin(), given_.end(), [&](const auto& at) { return at.second.job == job; });
  if (!at_work) waiting_.insert(job);
}

void JobList::give(NodeId node, const Given& given) {
  waiting_.erase(given.job);
  if (const auto before = given_.find(node); before != given_.end()) leases_.erase({before->second.until, node});
  given_[node] = given;
  leases_.emplace(given.until, node);
}

void JobList::take_back(NodeId node) {
  const auto given = given_.extract(node);
  if (!given) return;
  leases_.erase({given.mapped().until, node});
  want(given.mapped().job);
}

std::vector<NodeId> JobList::done(const Job& job) {
  waiting_.erase(job);
  std::vector<NodeId> free;
  for (auto at = given_.begin(); at != given_.end();) {
    if (at->second.job != job) {
      ++at;
      continue;
    }
    free.push_back(at->first);
    leases_.erase({at->second.until, at->first});
    at = given_.erase(at);
  }
  return free;
}

std::optional<std::pair<Seconds, NodeId>> JobList::first_lease() const {
  if (leases_.empty()) return std::nullopt;
  return *leases_.begin();
}

}  // namespace dipaco
