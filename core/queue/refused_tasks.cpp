#include "core/queue/refused_tasks.hpp"

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
  for (auto& [step, workers] : in_time_) std::erase(workers, worker);
}

const std::vector<NodeId>& RefusedTasks::in_time(OuterStep outer_step, const AskedNow& at) {
  const auto [known, is_new] = in_time_.try_emplace(outer_step);
  if (is_new) {
    known->second = at.workers.free();
    std::erase_if(known->second, [&](NodeId node) { return !at.reserve.in_time(node, outer_step, at.paths, at.now); });
  }
  return known->second;
}

bool RefusedTasks::contains(const PathEntry& path, const AskedNow& at) {
  if (!path.spoiled_by.empty() || path.inner_steps > 0) return false;
  return kinds_.contains({path.outer_step, path.site}) || in_time(path.outer_step, at).empty();
}

std::optional<NodeId> RefusedTasks::nearest(const PathEntry& path, const AskedNow& at) {
  std::optional<NodeId> elsewhere;
  for (const NodeId node : in_time(path.outer_step, at)) {
    const bool near = at.workers.is_ready(node) && at.reserve.fleet().workers().at(node).site == path.site;
    if ((!near && elsewhere) || !at.reserve.takes(node, path, at.paths, at.now)) continue;
    if (near) return node;
    elsewhere = node;
  }
  if (!elsewhere) kinds_.insert({path.outer_step, path.site});
  return elsewhere;
}

}  // namespace dipaco
