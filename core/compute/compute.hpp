#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "core/base/units.hpp"

namespace dipaco {

/// Work that can be cut after any step. `work(limit, stop)` does up to `limit` steps *from the start* and ends early,
/// after a whole step, once `stop` is true; it returns the steps done. It may be called again, for fewer steps, and
/// then does them anew. It runs on any thread, touches only its own data, and makes no transport call.
using Work = std::function<InnerSteps(InnerSteps limit, const std::atomic<bool>& stop)>;

/// A node's clock and its ability to compute. One node, one thread; a call may block, and a blocked node may be killed.
class Compute {
 public:
  virtual ~Compute() = default;
  /// This run's clock: 0 at its first outer step.
  virtual Seconds now() const = 0;
  /// Does `work` for up to `steps` steps and lets this node's clock pay `cost_of_one` for each. Returns early, at the
  /// end of a step, once a preemption notice is in, or while an urgent message (urgent_mail.hpp) waits for this node;
  /// the effect of `work` is then that of exactly the steps returned. Mail never cuts work of one step.
  /// @param cost_of_one  floating-point operations of one step, as they are charged
  /// @param reserve      time that the node needs before gone_at(): under a notice that says when, further steps are
  ///                     done if they end so early. nullopt: nobody knows how much, and the step at hand is the last
  /// @throws what `work` throws
  virtual InnerSteps run(InnerSteps steps, Flops cost_of_one, const Work& work, std::optional<Seconds> reserve) = 0;
  /// True from a preemption notice until this node is gone: take no new task.
  virtual bool leaving() const = 0;
  /// When this node will be gone, by this clock, as its notice says; nullopt: it has none, or it does not say when.
  virtual std::optional<Seconds> gone_at() const = 0;
};

}  // namespace dipaco
