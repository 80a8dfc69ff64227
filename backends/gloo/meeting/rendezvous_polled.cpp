#include "backends/gloo/meeting/rendezvous_polled.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace dipaco {

PolledRendezvous::PolledRendezvous(std::unique_ptr<Board> board, EntryFormat format, std::string name,
                                   const RendezvousOptions& options)
    : keeper_(std::move(board), std::move(format), std::move(name), options.note),
      period_(std::chrono::duration_cast<Clock::duration>(options.period)),
      idle_(std::chrono::duration_cast<Clock::duration>(options.idle)) {
  if (options.publishes) keeper_.try_writing();
  found_ = keeper_.look();
  asked_ = Clock::now();
  thread_ = std::jthread([this](const std::stop_token& stop) { poll(stop); });
}

void PolledRendezvous::publish(const Endpoint& endpoint) {
  check(!endpoint.host.empty() && endpoint.host.size() <= kLongestHost && endpoint.port != 0, "somebody listens there");
  const std::lock_guard lock(mutex_);
  wanted_ = endpoint;
  new_ = true;
  changed_.notify_all();
}

void PolledRendezvous::withdraw() {
  const std::lock_guard lock(mutex_);
  withdrawn_ = std::exchange(wanted_, std::nullopt);
}

std::optional<Endpoint> PolledRendezvous::find() {
  const std::lock_guard lock(mutex_);
  asked_ = Clock::now();
  changed_.notify_all();
  return found_;
}

void PolledRendezvous::poll(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wait_for_turn(lock, stop)) {
    const auto wanted = wanted_;
    const auto known = found_;
    new_ = false;
    lock.unlock();
    const auto found = keeper_.look_and_mend(wanted, known);
    lock.lock();
    found_ = found;
  }
  if (withdrawn_) keeper_.remove(*withdrawn_);
}

bool PolledRendezvous::wait_for_turn(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  changed_.wait_for(lock, stop, period_, [this] { return new_; });
  // A thousand nodes that have found the coordinator would otherwise go on asking a file server for it.
  changed_.wait(lock, stop, [this] { return wanted_.has_value() || asked_lately(); });
  return !stop.stop_requested();
}

}  // namespace dipaco
