#include "backends/loopback/clock.hpp"

#include <algorithm>
#include <utility>

namespace dipaco {

LoopbackClock::LoopbackClock(std::size_t threads, bool test)
    : test_(test), start_(std::chrono::steady_clock::now()), sleepers_(threads) {}

Seconds LoopbackClock::now() const {
  return test_ ? Seconds(test_now_) : Seconds(std::chrono::steady_clock::now() - start_);
}

void LoopbackClock::at(Seconds time, std::function<void()> event) {
  events_.emplace(time, std::move(event));
  if (!test_) wake_all();  // they sleep until the next event at most
}

void LoopbackClock::run_due() {
  while (!events_.empty() && events_.begin()->first <= now()) events_.extract(events_.begin()).mapped()();
}

bool LoopbackClock::wait(std::unique_lock<std::mutex>& lock, std::size_t thread, std::optional<Seconds> until,
                         const std::function<bool()>& ready) {
  Sleeper& me = sleepers_[thread];
  for (;;) {
    run_due();
    if (ready()) return true;
    if (until && now() >= *until) return false;
    me.asleep = true;
    me.until = until;
    sleep(lock, me);
  }
}

void LoopbackClock::sleep(std::unique_lock<std::mutex>& lock, Sleeper& me) {
  const auto awake = [&me] { return !me.asleep; };
  if (test_) {
    advance();
    me.woken.wait(lock, awake);
    return;
  }
  std::optional<Seconds> next = me.until;
  if (!events_.empty()) next = std::min(next.value_or(events_.begin()->first), events_.begin()->first);
  if (!next) {
    me.woken.wait(lock, awake);
  } else {
    me.woken.wait_for(lock, *next - now(), awake);
  }
  me.asleep = false;
}

void LoopbackClock::wake(std::size_t thread) {
  sleepers_[thread].asleep = false;
  sleepers_[thread].woken.notify_one();
}

void LoopbackClock::wake_all() {
  for (std::size_t thread = 0; thread < sleepers_.size(); ++thread) wake(thread);
}

void LoopbackClock::leave(std::size_t thread) {
  sleepers_[thread].gone = true;
  if (test_) advance();
}

bool LoopbackClock::all_asleep() const {
  return std::all_of(sleepers_.begin(), sleepers_.end(), [](const Sleeper& one) { return one.asleep || one.gone; }) &&
         std::any_of(sleepers_.begin(), sleepers_.end(), [](const Sleeper& one) { return one.asleep && !one.gone; });
}

std::optional<Seconds> LoopbackClock::next_time() const {
  std::optional<Seconds> next;
  if (!events_.empty()) next = events_.begin()->first;
  for (const Sleeper& one : sleepers_) {
    if (one.asleep && !one.gone && one.until && (!next || *one.until < *next)) next = one.until;
  }
  return next;
}

void LoopbackClock::advance() {
  while (all_asleep()) {
    const auto next = next_time();
    if (!next) {
      stuck_ = true;
      return wake_all();
    }
    test_now_ = std::max(next->count(), test_now_.load());
    run_due();
    for (std::size_t thread = 0; thread < sleepers_.size(); ++thread) {
      const Sleeper& one = sleepers_[thread];
      if (one.asleep && one.until && *one.until <= now()) wake(thread);
    }
  }
}

}  // namespace dipaco
