#include "core/coordinator/tables/jobs.hpp"

#include <limits>

namespace dipaco {

Job job_of(Purpose purpose, std::int32_t version, PathId path) {
  constexpr Job::Kind kKinds[] = {Job::Kind::score, Job::Kind::stop_early, Job::Kind::watch, Job::Kind::result};
  return {.kind = kKinds[static_cast<std::size_t>(purpose)], .version = version, .path = path};
}

Purpose purpose_of(const Job& job) {
  if (job.kind == Job::Kind::score) return Purpose::routing;
  if (job.kind == Job::Kind::stop_early) return Purpose::early_stopping;
  return job.kind == Job::Kind::watch ? Purpose::progress : Purpose::result;
}

void JobList::want(const Job& job) {
  if (at_.contains(job)) return;
  waiting_.insert(job);
  of_[job.path].insert(job);
}

/// The job that the node had, which it has no more.
std::optional<Job> JobList::leave(NodeId node) {
  const auto given = given_.extract(node);
  if (!given) return std::nullopt;
  const Job job = given.mapped().job;
  leases_.erase({given.mapped().until, node});
  const auto at = at_.find(job);
  at->second.erase(node);
  if (at->second.empty()) at_.erase(at);
  return job;
}

void JobList::give(NodeId node, Given given, Seconds now) {
  given.until = now + given.lasting;
  const auto before = leave(node);
  waiting_.erase(given.job);
  of_[given.job.path].insert(given.job);
  at_[given.job].insert(node);
  given_[node] = given;
  leases_.emplace(given.until, node);
  if (before) forget(*before);
}

void JobList::wait_on(NodeId node, Seconds now) {
  Given& given = given_.at(node);
  leases_.erase({given.until, node});
  given.lasting *= 2;
  given.until = now + given.lasting;
  given.asked = true;
  leases_.emplace(given.until, node);
}

void JobList::take_back(NodeId node) {
  if (const auto job = leave(node)) want(*job);
}

std::vector<NodeId> JobList::done(const Job& job) {
  waiting_.erase(job);
  std::vector<NodeId> free;
  if (const auto at = at_.extract(job)) free.assign(at.mapped().begin(), at.mapped().end());
  for (const NodeId node : free) {
    leases_.erase({given_.at(node).until, node});
    given_.erase(node);
  }
  forget(job);
  return free;
}

/// Where it neither waits nor is given.
void JobList::forget(const Job& job) {
  if (waiting_.contains(job) || at_.contains(job)) return;
  const auto jobs = of_.find(job.path);
  if (jobs == of_.end()) return;
  jobs->second.erase(job);
  if (jobs->second.empty()) of_.erase(jobs);
}

std::optional<Job> JobList::first(Job::Kind kind) const {
  const auto found = waiting_.lower_bound({.kind = kind, .version = std::numeric_limits<std::int32_t>::min()});
  if (found == waiting_.end() || found->kind != kind) return std::nullopt;
  return *found;
}

const std::set<Job>& JobList::of(PathId path) const {
  static const std::set<Job> kNone;
  const auto found = of_.find(path);
  return found == of_.end() ? kNone : found->second;
}

std::optional<std::pair<Seconds, NodeId>> JobList::first_lease() const {
  if (leases_.empty()) return std::nullopt;
  return *leases_.begin();
}

}  // namespace dipaco
