#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <simgrid/s4u.hpp>

#include "backends/sim/thread_pool.hpp"
#include "core/compute/compute.hpp"

namespace dipaco {

/// A simulated node's clock and ability to compute. Work begins at once on the pool, the simulated clock pays for all
/// of its steps by one execution on the host, and `run` returns when both have ended: workers that compute at the same
/// simulated time use all cores of this machine, and no result depends on how fast they are.
class SimCompute : public Compute {
 public:
  /// @param host         where the steps are charged, as operations / (mfu x cores) on one core
  /// @param speed        of the host in training: its speed x cores x mfu
  /// @param pool         null: nothing real is to be done, work is called when its time has passed
  struct Hooks {
    std::function<void()> hold;        ///< returns once the node is not frozen
    std::function<double()> slowdown;  ///< of what it computes next: 1, it takes as long as it should
  };

  /// @param interrupted  ends real work early (see PooledWork)
  SimCompute(simgrid::s4u::Host& host, FlopsPerSecond speed, ThreadPool* pool, const std::atomic<bool>& interrupted,
             Hooks hooks);

  Seconds now() const override { return Seconds(simgrid::s4u::Engine::get_clock()); }
  InnerSteps run(InnerSteps steps, Flops cost_of_one, const Work& work, std::optional<Seconds> reserve) override;
  bool leaving() const override { return gone_at_.has_value(); }
  std::optional<Seconds> gone_at() const override { return gone_at_; }
  /// A preemption notice: what runs ends with the last step that leaves its reserve, or with the step at hand. From
  /// outside the node's actor.
  void notice(Seconds gone_at);
  /// Whether urgent messages wait. Where some do, what runs ends with the step at hand. From any actor or none.
  void urgent_mail(bool waits);
  /// What runs stands still until `hold` returns. From outside the node's actor.
  void freeze();

 private:
  struct Running {
    simgrid::s4u::ExecPtr charge;
    double step = 0;              ///< what one step is charged, in operations of the host
    InnerSteps steps;             ///< to be done: fewer once it is cut
    std::optional<double> due{};  ///< operations that are still to be paid for them, while the charge does not
    std::optional<Seconds> reserve{};
  };

  void pay();
  bool is_paying() const;
  void cut();
  double steps_in_time() const;

  simgrid::s4u::Host& host_;
  FlopsPerSecond speed_;
  ThreadPool* pool_;
  const std::atomic<bool>& interrupted_;
  Hooks hooks_;
  std::optional<Seconds> gone_at_;  ///< once it has a notice
  bool urgent_ = false;             ///< messages wait
  Running running_;
};

/// Of `steps` that each cost `step`, `remaining` is left to be paid: how many end with the step at hand, or within
/// `more` steps from now if those are further, and what is left to pay for them.
struct KeptSteps {
  InnerSteps steps;
  double rest = 0;
};
KeptSteps kept_steps(InnerSteps steps, double step, double remaining, double more = 0);

}  // namespace dipaco
