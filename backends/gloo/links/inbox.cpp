#include "backends/gloo/links/inbox.hpp"

#include <utility>

namespace dipaco {

void Inbox::put(Incoming incoming, std::function<void()> taken) {
  const std::lock_guard lock(mutex_);
  urgent_.came(incoming);
  items_.push_back({std::move(incoming), std::move(taken)});
  changed_.notify_one();
}

std::optional<Incoming> Inbox::take(Seconds timeout) {
  std::unique_lock lock(mutex_);
  const auto ready = [this] { return stopped_ || ended_ || failure_ || !items_.empty(); };
  if (timeout < Seconds(0)) {
    changed_.wait(lock, ready);
  } else if (!changed_.wait_for(lock, timeout, ready)) {
    return std::nullopt;
  }
  if (failure_) std::rethrow_exception(failure_);
  if (stopped_) throw NodeStopped{};
  if (items_.empty()) throw RunIsOver{};
  Item item = std::move(items_.front());
  items_.pop_front();
  urgent_.taken(item.incoming);
  lock.unlock();
  if (item.taken) item.taken();
  return std::move(item.incoming);
}

void Inbox::check() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (stopped_) throw NodeStopped{};
}

void Inbox::tell_urgent(std::function<void(bool)> tell) {
  const std::lock_guard lock(mutex_);
  urgent_.told_to(std::move(tell));
}

void Inbox::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void Inbox::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void Inbox::fail(std::exception_ptr why) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(why);
  changed_.notify_all();
}

}  // namespace dipaco
