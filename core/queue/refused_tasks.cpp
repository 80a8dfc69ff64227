#include "core/queue/refused_tasks.hpp"

#include <algorithm>

namespace dipaco {

void RefusedTasks::look(const AskedNow& at) {
  const std::uint64_t state = at.reserve.foresee(at.now);
  if (state == state_ && (!until_ || at.now < *until_)) return;
  *this = {};
  state_ = state;
  until_ = at.reserve.looks_again_at(at.now);
}

void RefusedTasks::taken(NodeId worker, std::uint64_t state, const AskedNow& at) {
  state_ = state;
  until_ = at.reserve.looks_again_at(at.now);
  const SiteId site = at.reserve.fleet().workers().at(worker).site;
  for (auto& [step, workers] : in_time_) {
    std::erase(workers.all, worker);
    if (const auto here = workers.at.find(site); here != workers.at.end()) std::erase(here->second, worker);
  }
}

const RefusedTasks::InTime& RefusedTasks::in_time(OuterStep outer_step, const AskedNow& at) {
  const auto [known, is_new] = in_time_.try_emplace(outer_step);
  InTime& workers = known->second;
  if (!is_new) return workers;
  workers.all = at.workers.free();
  std::erase_if(workers.all, [&](NodeId node) { return !at.reserve.in_time(node, outer_step, at.paths, at.now); });
  for (const NodeId node : workers.all) workers.at[at.reserve.fleet().workers().at(node).site].push_back(node);
  return workers;
}

bool RefusedTasks::contains(const PathEntry& path, const AskedNow& at) {
  if (!path.spoiled_by.empty() || path.inner_steps > 0) return false;
  const OuterStep round = at.reserve.fleet().cost().lengths.round_of(path);
  return kinds_.contains({round, path.site}) || in_time(round, at).all.empty();
}

std::optional<NodeId> RefusedTasks::nearest(const PathEntry& path, const AskedNow& at) {
  const OuterStep round = at.reserve.fleet().cost().lengths.round_of(path);
  const InTime& workers = in_time(round, at);
  const auto takes = [&](NodeId node) { return at.reserve.takes(node, path, at.paths, at.now); };
  if (const auto here = workers.at.find(path.site); here != workers.at.end()) {
    const auto near =
        std::ranges::find_if(here->second, [&](NodeId node) { return at.workers.is_ready(node) && takes(node); });
    if (near != here->second.end()) return *near;
  }
  const auto elsewhere = std::ranges::find_if(workers.all, takes);
  if (elsewhere != workers.all.end()) return *elsewhere;
  add(path, at);
  return std::nullopt;
}

}  // namespace dipaco
