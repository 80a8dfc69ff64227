#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// What a worker was told to do, until it says that it is done.
struct GivenTask {
  TaskId id;
  Epoch epoch = 0;
  std::vector<NodeId> to_stores;
  std::optional<Seconds> since{};  ///< nullopt where that is forgotten
  std::int32_t length = 0;         ///< in inner steps; 0 where that is forgotten
  NodeId from_store{-1};           ///< that it has its path's state from; -1: from none, or that is forgotten
};

/// Which worker is at which task, also at one that counts no more. Pure logic. A look-up takes as long however many
/// workers there are.
class GivenTasks {
 public:
  void set(NodeId worker, GivenTask task);
  void remove(NodeId worker);
  /// Null where it is at none.
  const GivenTask* find(NodeId worker) const;
  GivenTask* find(NodeId worker);
  /// Workers that are at a task of the path.
  const std::set<NodeId>& of(PathId path) const;
  std::map<NodeId, GivenTask>& all() { return all_; }

 private:
  std::map<NodeId, GivenTask> all_;
  std::map<PathId, std::set<NodeId>> of_;
};

}  // namespace dipaco
