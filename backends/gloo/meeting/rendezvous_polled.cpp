#include "backends/gloo/meeting/rendezvous_polled.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace dipaco {

PolledRendezvous::PolledRendezvous(std::unique_ptr<Board> board, EntryFormat format, std::string name,
                                   const RendezvousOptions& options)
    : board_(std::move(board)),
      format_(std::move(format)),
      name_(std::move(name)),
      period_(std::chrono::duration_cast<Clock::duration>(options.period)),
      idle_(std::chrono::duration_cast<Clock::duration>(options.idle)),
      note_(options.note) {
  if (options.publishes) board_->try_writing();
  found_ = look();
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
    auto found = found_;
    new_ = false;
    lock.unlock();
    try {
      found = look_and_mend(wanted);
      if (std::exchange(lost_, false)) note("rendezvous " + name_ + ": it is there again");
    } catch (const BoardError& error) {
      if (!std::exchange(lost_, true))
        note("rendezvous " + name_ + ": " + error.what() + " (tried again until it works)");
    }
    lock.lock();
    found_ = found;
  }
  if (withdrawn_) remove(*withdrawn_);
}

bool PolledRendezvous::wait_for_turn(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  changed_.wait_for(lock, stop, period_, [this] { return new_; });
  // A thousand nodes that have found the coordinator would otherwise go on asking a file server for it.
  changed_.wait(lock, stop, [this] { return wanted_.has_value() || asked_lately(); });
  return !stop.stop_requested();
}

std::optional<Endpoint> PolledRendezvous::look() {
  const auto entry = board_->read();
  return entry ? format_.open(*entry) : std::nullopt;
}

std::optional<Endpoint> PolledRendezvous::look_and_mend(const std::optional<Endpoint>& wanted) {
  const auto found = look();
  if (!wanted || found == wanted) {
    written_ = found;
    return found;
  }
  board_->write(format_.seal(*wanted));
  if (written_ == wanted && !std::exchange(mended_, true)) {
    note("rendezvous " + name_ +
         ": somebody has overwritten or removed the coordinator's entry; it is mended each time. " +
         "Is there another coordinator of this run?");
  }
  written_ = wanted;
  return wanted;
}

/// Where a coordinator comes between the look and the removal, it mends its entry.
void PolledRendezvous::remove(const Endpoint& withdrawn) {
  try {
    if (look() == withdrawn) board_->remove();
  } catch (const BoardError& error) {
    note("rendezvous " + name_ + ": the coordinator's entry stays there: " + error.what());
  }
}

void PolledRendezvous::note(const std::string& text) const {
  if (note_) note_(text);
}

}  // namespace dipaco
