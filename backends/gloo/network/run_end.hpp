#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "backends/gloo/links/frame.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// Coordinator: which nodes have still to hear that the run is over. Executors and stores keep a part of the result
/// until then; a node that was lost lately may come back and ask. Times are by the machine's steady clock.
class RunEnd {
 public:
  /// @param lately  a node that was lost so long before the run's end is waited for
  explicit RunEnd(Seconds lately) : lately_(lately) {}

  /// The run is over.
  void begin(Seconds now) { over_ = now; }
  bool begun() const { return over_.has_value(); }
  /// The node has left, or has been told: it knows that nothing more comes.
  void heard(NodeId node) { heard_.insert(node); }
  /// The node has gone without a farewell.
  void lost(NodeId node, Seconds now) { lost_at_[node] = now; }
  void came_back(NodeId node) { lost_at_.erase(node); }
  /// Nobody before begin().
  std::vector<NodeId> owed(std::span<const Member> members) const;

 private:
  Seconds lately_;
  std::optional<Seconds> over_;
  std::set<NodeId> heard_;
  std::map<NodeId, Seconds> lost_at_;  ///< of those that have not come back
};

}  // namespace dipaco
