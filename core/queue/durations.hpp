#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// How long something takes on each worker, an inner step or a task, from what was measured of its last tasks. Pure
/// logic.
class Durations {
 public:
  /// Of so many tasks of a worker: if it has become slower, that is believed after half of them.
  static constexpr std::size_t kRemembered = 9;

  /// Robust: one task in the middle of another program's work changes neither much.
  struct Estimate {
    Seconds median{};
    Seconds deviation{};  ///< median of the distances from `median`
    /// About three standard deviations above it, where times are normally distributed.
    Seconds at_worst() const { return median + 4.5 * deviation; }
  };

  /// Of one task.
  void add(NodeId worker, Seconds measured);
  void forget(NodeId worker) { measured_.erase(worker); }

  bool empty() const { return measured_.empty(); }
  /// nullopt where it has measured nothing.
  std::optional<Estimate> of(NodeId worker) const;
  /// Of its last task; nullopt where it has measured nothing.
  std::optional<Seconds> newest(NodeId worker) const;
  /// Of all workers: the median of their medians, and how far apart those are. nullopt where none has measured
  /// anything.
  std::optional<Estimate> of_all() const;

 private:
  struct Measured {
    std::deque<Seconds> tasks{};  ///< the newest last; older ones are forgotten
    Estimate all{};               ///< of these
  };

  std::map<NodeId, Measured> measured_;
};

}  // namespace dipaco
