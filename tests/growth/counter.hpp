#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace dipaco::testing {

/// What a counter counts.
enum class Counted {
  instructions,  ///< the processor's, in user space
  nanoseconds,   ///< of processor time, which the kernel counts where the processor's own counters are not to be had
};

/// Counts what a process does, its own children included, by perf_event_open(2).
class Counter {
 public:
  /// Counts from the process's next exec on. Call valid() next.
  Counter(pid_t process, Counted what);
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;
  ~Counter();

  /// False where the kernel does not allow it, or the processor has no such counter.
  bool valid() const { return descriptor_ >= 0; }
  /// Once the process has ended; nullopt if it was never counted, or only for a part of its time.
  std::optional<std::uint64_t> count() const;

 private:
  int descriptor_ = -1;
};

}  // namespace dipaco::testing
