#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/queue/path_table.hpp"
#include "core/queue/reserve.hpp"
#include "core/queue/workers.hpp"

namespace dipaco {

/// What decides whether a free worker takes a task, at one moment.
struct AskedNow {
  Reserve& reserve;
  const Workers& workers;
  const PathTable& paths;
  Seconds now{};
};

/// Which queued tasks no free worker takes, so that none is asked again while nothing has changed: as time passes,
/// nobody becomes able to do more by the end of an outer step. Pure logic.
class RefusedTasks {
 public:
  /// All is forgotten if anything but the time has changed, or if somebody is late.
  void look(const AskedNow& at);
  /// A free worker has taken a task, as was foreseen: what was refused still is, until somebody is late.
  /// @param state  as Reserve::gives() has it
  void taken(NodeId worker, std::uint64_t state, const AskedNow& at);

  /// No free worker takes the path's task, as it is known of another of its outer step and site. Of one that is
  /// spoiled, or handed back in part, it is not known.
  bool contains(const PathEntry& path, const AskedNow& at);
  /// Who takes the path's task: the fastest of its site that is not to be avoided, or else of all. REQUIRES a whole
  /// task that is not spoiled.
  std::optional<NodeId> nearest(const PathEntry& path, const AskedNow& at);
  /// No free worker takes the path's task. REQUIRES as nearest().
  void add(const PathEntry& path, const AskedNow& at) {
    kinds_.insert({at.reserve.fleet().cost().lengths.round_of(path), path.site});
  }

  /// Every queued task is refused, until another one is queued.
  bool all() const { return all_; }
  void all_are(bool refused) { all_ = refused; }

 private:
  /// Free workers that can do a task of an outer step in time, the fastest first.
  struct InTime {
    std::vector<NodeId> all;
    std::map<SiteId, std::vector<NodeId>> at;
  };
  const InTime& in_time(OuterStep outer_step, const AskedNow& at);

  std::uint64_t state_ = 0;
  std::optional<Seconds> until_;
  std::set<std::pair<OuterStep, SiteId>> kinds_;  ///< and where the path's state is
  std::map<OuterStep, InTime> in_time_;
  bool all_ = false;
};

}  // namespace dipaco
