#include "tests/growth/counter.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace dipaco::testing {

Counter::Counter(pid_t process, Counted what) {
  perf_event_attr event{};
  event.size = sizeof(event);
  event.type = what == Counted::instructions ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
  event.config = what == Counted::instructions ? std::uint64_t{PERF_COUNT_HW_INSTRUCTIONS}
                                               : std::uint64_t{PERF_COUNT_SW_TASK_CLOCK};
  event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  event.disabled = 1;
  event.enable_on_exec = 1;
  event.inherit = 1;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  descriptor_ = static_cast<int>(::syscall(SYS_perf_event_open, &event, process, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

Counter::~Counter() {
  if (valid()) ::close(descriptor_);
}

std::optional<std::uint64_t> Counter::count() const {
  std::array<std::uint64_t, 3> values{};  // the count, the time that it was to count, the time that it did
  if (!valid() || ::read(descriptor_, values.data(), sizeof(values)) != sizeof(values)) return std::nullopt;
  if (values[1] == 0 || values[1] != values[2]) return std::nullopt;
  return values[0];
}

}  // namespace dipaco::testing
