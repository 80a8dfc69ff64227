#pragma once

#include <atomic>
#include <csignal>
#include <latch>
#include <thread>

namespace dipaco {

/// Turns SIGINT and SIGTERM into a flag, without a handler: both are blocked in every thread that is started later, and
/// a thread of this object waits for them. The first one sets the flag, the second ends the program by that signal.
/// REQUIRES: one object at a time, made before other threads.
class StopSignal {
 public:
  /// @throws std::system_error where the system has no file descriptor left
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// True from the first signal on: what Trainer::inner_steps and the roles take as `stop`.
  const std::atomic<bool>& requested() const { return requested_; }
  /// SIGINT or SIGTERM; 0 before the first.
  int number() const { return number_; }

 private:
  void wait();

  std::atomic<bool> requested_ = false;
  std::atomic<int> number_ = 0;
  sigset_t old_mask_{};
  int signals_ = -1;  ///< signalfd
  int ended_ = -1;    ///< eventfd: wakes the thread for its end
  std::latch begun_{1};
  std::thread thread_;
};

}  // namespace dipaco
