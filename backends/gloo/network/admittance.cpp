#include "backends/gloo/network/admittance.hpp"

#include "backends/gloo/links/connection.hpp"

namespace dipaco {
namespace {

/// The inbox does not say when it is stopped: it is asked so often.
constexpr Seconds kBetweenLooks{0.2};

}  // namespace

void Admittance::wait() {
  std::unique_lock lock(mutex_);
  while (!in_ && !refused_) {
    if (leaving_) throw NodeStopped{};
    changed_.wait_for(lock, kBetweenLooks);
    lock.unlock();
    inbox_.check();
    lock.lock();
  }
  if (refused_) std::rethrow_exception(refused_);
}

void Admittance::let_in() {
  const std::lock_guard lock(mutex_);
  in_ = true;
  cut_off_.reset();
  changed_.notify_all();
}

void Admittance::cut_off() {
  const std::lock_guard lock(mutex_);
  cut_off_ = steady();
}

void Admittance::refuse(const std::exception_ptr& why) {
  inbox_.fail(why);
  const std::lock_guard lock(mutex_);
  refused_ = why;
  changed_.notify_all();
}

void Admittance::leave() {
  const std::lock_guard lock(mutex_);
  leaving_ = true;
  changed_.notify_all();
}

bool Admittance::is_cut_off(Seconds limit) const {
  const std::lock_guard lock(mutex_);
  return cut_off_ && steady() - *cut_off_ > limit;
}

}  // namespace dipaco
