#include "backends/sim/network/inbox.hpp"

#include <algorithm>
#include <utility>

#include "backends/sim/engine/clock.hpp"
#include "core/base/error.hpp"

namespace dipaco {

namespace sg = simgrid::s4u;

void SimInbox::open() {
  check(!open_, "a node's incarnation begins once the last one has ended");
  open_ = true;
  waiting_ = false;
  arrived_ = sg::Semaphore::create(0);
}

void SimInbox::close() {
  open_ = frozen_ = false;
  incoming_.clear();
  urgent_.begin_anew();
  if (alarm_) alarms_.cancel(*std::exchange(alarm_, std::nullopt));
}

void SimInbox::push(Incoming&& incoming) {
  if (!open_) return;
  urgent_.came(incoming);
  incoming_.push_back(std::move(incoming));
  if (!frozen_) wake();
}

void SimInbox::wake() {
  if (!waiting_) return;
  waiting_ = false;
  const sg::SemaphorePtr arrived = arrived_;
  arrived->release();
}

void SimInbox::wait_for_thaw() {
  const sg::SemaphorePtr arrived = arrived_;
  while (frozen_) {
    waiting_ = true;
    arrived->acquire();
  }
}

void SimInbox::thaw() {
  frozen_ = false;
  wake();
}

// Not by Semaphore::acquire_timeout: SimGrid 3.32 aborts where its actor is killed at the moment at which it ends.
void SimInbox::wake_in_time() {
  if (alarm_ && alarm_time_ <= give_up_) return;
  if (alarm_) alarms_.cancel(*alarm_);
  alarm_time_ = give_up_;
  alarm_ = alarms_.at(give_up_, [this] {
    alarm_.reset();
    if (!waiting_ || give_up_ < Seconds(0)) return;
    if (clock_now() < give_up_) return wake_in_time();
    if (!frozen_) wake();
  });
}

std::optional<Incoming> SimInbox::receive(Seconds timeout) {
  if ((frozen_ || incoming_.empty()) && !wait(timeout)) return std::nullopt;
  Incoming incoming = std::move(incoming_.front());
  incoming_.pop_front();
  urgent_.taken(incoming);
  return incoming;
}

bool SimInbox::wait(Seconds timeout) {
  const sg::SemaphorePtr arrived = arrived_;
  const bool for_ever = timeout < Seconds(0);
  // Who waits for the rest of a rounded difference would wait for ever: a wait lets the clock go on.
  constexpr Seconds kTick{1e-6};
  const Seconds until = clock_now() + (timeout > Seconds(0) ? std::max(timeout, kTick) : timeout);
  for (hold(); incoming_.empty(); hold()) {
    if (!for_ever && clock_now() >= until) return false;
    give_up_ = for_ever ? Seconds(-1) : until;
    waiting_ = true;  // first: whoever comes in between leaves a token
    if (!for_ever) wake_in_time();
    arrived->acquire();
    waiting_ = false;
  }
  return true;
}

void SimInbox::drop_from_others(NodeId self) {
  std::erase_if(incoming_, [this, self](const Incoming& incoming) {
    const auto* const envelope = std::get_if<Envelope>(&incoming);
    const bool drop = envelope != nullptr && envelope->from != self;
    if (drop) urgent_.taken(incoming);
    return drop;
  });
}

}  // namespace dipaco
