#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <simgrid/s4u.hpp>

#include "backends/sim/engine/alarms.hpp"
#include "core/base/error.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// When a simulation ends, and why: the coordinator has returned or is gone for too long, something failed, or somebody
/// asked it to stop.
class SimRunEnd {
 public:
  struct Options {
    const std::atomic<bool>* stop = nullptr;  ///< ends the run early once true; null: nothing does
    Seconds patience{};                       ///< for so long all wait for the coordinator while it is gone
    simgrid::s4u::Host* coordinator = nullptr;
  };
  /// @param end_all  ends all that could keep the simulation going; called once, in SimGrid's kernel
  SimRunEnd(const Options& options, Alarms& alarms, std::function<void()> end_all);
  SimRunEnd(const SimRunEnd&) = delete;
  SimRunEnd& operator=(const SimRunEnd&) = delete;
  ~SimRunEnd() = default;

  /// Ends the run when somebody asks for it. Once a process.
  void watch_for_stop();
  /// True once somebody has asked for it; the same object for the whole run, for other threads, too.
  const std::atomic<bool>& stop_asked() const { return stop_; }

  /// The coordinator is not up: nobody waits for it longer than the patience lasts, whatever else goes on.
  void coordinator_is_gone();
  void coordinator_is_back() { alarms_.cancel(wait_); }

  /// From any actor or none. What failed first is what check() throws.
  void fail(std::exception_ptr failure);
  void stopped_early() { stopped_ = true; }
  void finish();

  bool over() const { return over_; }
  bool stopped() const { return stopped_; }
  /// After the simulation has come to rest.
  /// @throws what failed, RunError with status 5 where the coordinator is gone, with 4 where every node waits
  void check(bool coordinator_up) const;

 private:
  RunError coordinator_lost() const;

  const std::atomic<bool> never_{false};
  const std::atomic<bool>& stop_;
  Options options_;
  Alarms& alarms_;
  std::function<void()> end_all_;
  Alarms::Id wait_ = 0;  ///< the alarm that ends the wait for the coordinator
  Seconds gone_since_{};
  std::exception_ptr failure_;
  bool over_ = false;
  bool stopped_ = false;
};

}  // namespace dipaco
