#pragma once

#include <set>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// Knows for whom the coordinator waits before it decides: at first for executors and stores, later, as one that began
/// anew, for those that an earlier incarnation knew. A run does not wait for ever for one that does not come. Pure
/// logic.
class Awaited {
 public:
  /// @param patience      after which nobody is waited for
  /// @param for_workers   after which no worker is, if all others are there
  explicit Awaited(Seconds patience, Seconds for_workers = Seconds(0))
      : patience_(patience), for_workers_(for_workers) {}

  /// This incarnation begins.
  void begin(Seconds now) { began_at_ = now; }
  /// Tasks may be given out from now on.
  void start() { started_ = true; }
  /// Whether they may.
  bool started() const { return started_; }

  /// An earlier incarnation knew the node: its Hello is awaited.
  void add(NodeId node) { nodes_.insert(node); }
  /// The node has come, or is lost.
  void remove(NodeId node) { nodes_.erase(node); }
  /// Whether its Hello is awaited.
  bool contains(NodeId node) const { return nodes_.contains(node); }
  /// Whether nobody's is.
  bool empty() const { return nodes_.empty(); }
  /// Waits for nobody any more, once that has taken too long.
  void give_up(Seconds now) {
    if (now >= until()) nodes_.clear();
  }
  /// When waiting has taken too long.
  Seconds until() const { return began_at_ + patience_; }
  /// When waiting for workers has taken too long.
  Seconds workers_until() const { return began_at_ + for_workers_; }
  /// Whether all whom an earlier incarnation knew have been heard of: a store that has not said hello yet is not one
  /// that is away.
  bool heard_of_all(Seconds now) const { return started_ && (nodes_.empty() || now >= until()); }

 private:
  Seconds patience_;
  Seconds for_workers_;
  Seconds began_at_{};
  std::set<NodeId> nodes_;
  bool started_ = false;
};

}  // namespace dipaco
