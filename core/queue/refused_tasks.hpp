#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// Which queued tasks no free worker takes, so that none is asked again while nothing has changed: as time passes,
/// nobody becomes able to do more by the end of an outer step. Pure logic.
class RefusedTasks {
 public:
  using Kind = std::pair<std::int32_t, SiteId>;  ///< outer step, and where the path's state is

  /// All is forgotten if this is another state than before, or if somebody is late.
  /// @param late_at  when somebody will be; nullopt: nobody
  void look(std::uint64_t state, Seconds now, std::optional<Seconds> late_at) {
    if (state == state_ && (!until_ || now < *until_)) return;
    *this = {};
    state_ = state;
    until_ = late_at;
  }
  /// A free worker has taken a task, as was foreseen: what was refused still is, until somebody is late.
  void taken(NodeId worker, std::uint64_t state, std::optional<Seconds> late_at) {
    state_ = state;
    until_ = late_at;
    for (auto& [step, workers] : in_time_) std::erase(workers, worker);
  }

  bool contains(const Kind& kind) const { return kinds_.contains(kind); }
  void add(const Kind& kind) { kinds_.insert(kind); }
  /// Every queued task is refused, until another one is queued.
  bool all() const { return all_; }
  void all_are(bool refused) { all_ = refused; }

  /// Free workers that can do a task of the outer step in time, the fastest first; nullptr: not known.
  const std::vector<NodeId>* in_time(std::int32_t outer_step) const {
    const auto known = in_time_.find(outer_step);
    return known == in_time_.end() ? nullptr : &known->second;
  }
  const std::vector<NodeId>& set_in_time(std::int32_t outer_step, std::vector<NodeId> workers) {
    return in_time_[outer_step] = std::move(workers);
  }

 private:
  std::uint64_t state_ = 0;
  std::optional<Seconds> until_;
  std::set<Kind> kinds_;
  std::map<std::int32_t, std::vector<NodeId>> in_time_;
  bool all_ = false;
};

}  // namespace dipaco
