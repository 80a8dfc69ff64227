#include "programs/shared/stop_signal.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace dipaco {
namespace {

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

/// Ends this program as `signal` would have without us.
void die_by(int signal, const sigset_t& set) {
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::raise(signal);
}

}  // namespace

StopSignal::StopSignal() {
  const sigset_t set = stop_set();
  pthread_sigmask(SIG_BLOCK, &set, &old_mask_);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC);
  ended_ = eventfd(0, EFD_CLOEXEC);
  if (signals_ < 0 || ended_ < 0) throw std::system_error(errno, std::generic_category(), "no descriptor for signals");
  // Where this returns the thread waits, and holds no lock of an allocator: the program may fork (backends/sim does).
  thread_ = std::thread([this] { wait(); });
  begun_.wait();
}

StopSignal::~StopSignal() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(ended_, &one, sizeof one);
  thread_.join();
  close(signals_);
  close(ended_);
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

void StopSignal::wait() {
  begun_.count_down();
  std::array<pollfd, 2> both{{{signals_, POLLIN, 0}, {ended_, POLLIN, 0}}};
  for (;;) {
    if (poll(both.data(), both.size(), -1) < 0) continue;
    if ((both[1].revents & POLLIN) != 0) return;
    signalfd_siginfo info{};
    if (read(signals_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) continue;
    const auto signal = static_cast<int>(info.ssi_signo);
    if (requested_) die_by(signal, stop_set());
    number_ = signal;
    requested_ = true;
  }
}

}  // namespace dipaco
