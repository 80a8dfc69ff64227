#include "backends/gloo/links/streams/handover.hpp"

#include <unistd.h>

#include <utility>

namespace dipaco {

Handover::~Handover() {
  if (next_) ::close(next_->socket);
}

StreamPlace Handover::cut() {
  std::unique_lock lock(mutex_);
  if (!waits_at_ && !stopped_) interrupt();
  changed_.wait(lock, [this] { return waits_at_ || stopped_; });
  return waits_at_.value_or(StreamPlace{});
}

void Handover::offer(const Next& next) {
  const std::lock_guard lock(mutex_);
  if (next_) ::close(next_->socket);
  next_ = next;
  if (!waits_at_) interrupt();
  changed_.notify_all();
}

void Handover::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  interrupt();
  changed_.notify_all();
}

bool Handover::left(const StreamPlace& place) {
  const std::lock_guard lock(mutex_);
  waits_at_ = place;
  changed_.notify_all();
  return !interrupted_;
}

std::optional<Handover::Next> Handover::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stopped_ || next_; });
  if (stopped_) return std::nullopt;
  interrupted_ = false;
  waits_at_.reset();
  return std::exchange(next_, std::nullopt);
}

void Handover::end() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void Handover::interrupt() {
  interrupted_ = true;
  interrupt_();
}

}  // namespace dipaco
