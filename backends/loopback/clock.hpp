#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "core/base/units.hpp"

namespace dipaco {

/// The clock of a loopback network, and where its threads wait. Either the machine's, from 0 on, or a test's: that one
/// stands still while any thread is awake, and goes to the next time that anybody waits for once all are asleep. A
/// thread that has not come yet is awake. All calls but now() need `mutex` locked.
class LoopbackClock {
 public:
  LoopbackClock(std::size_t threads, bool test);

  Seconds now() const;
  std::mutex& mutex() { return mutex_; }

  /// Calls `event` at `time`, on any thread that waits or calls run_due then.
  void at(Seconds time, std::function<void()> event);
  void run_due();
  /// Sleeps until `ready`, which is asked after each wake, or until `until`; returns whether it was ready.
  bool wait(std::unique_lock<std::mutex>& lock, std::size_t thread, std::optional<Seconds> until,
            const std::function<bool()>& ready);
  void wake(std::size_t thread);
  void wake_all();
  /// The thread has ended: the others' time goes on without it.
  void leave(std::size_t thread);
  /// Of a test's clock: all slept, and nobody waited for a time. They were woken for this.
  bool stuck() const { return stuck_; }

 private:
  struct Sleeper {
    std::condition_variable woken;
    std::optional<Seconds> until;
    bool asleep = false;
    bool gone = false;
  };

  bool all_asleep() const;
  std::optional<Seconds> next_time() const;
  void advance();
  void sleep(std::unique_lock<std::mutex>& lock, Sleeper& me);

  std::mutex mutex_;
  const bool test_;
  const std::chrono::steady_clock::time_point start_;
  std::atomic<double> test_now_{0};
  std::deque<Sleeper> sleepers_;
  std::multimap<Seconds, std::function<void()>> events_;
  bool stuck_ = false;
};

}  // namespace dipaco
