#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include "core/base/units.hpp"
#include "core/transport/transport.hpp"
#include "core/transport/urgent_mail.hpp"

namespace dipaco {

/// Thrown out of a node's next seam call once it was stopped. It is no std::exception: no role swallows it.
struct NodeStopped {};

/// The same, once the coordinator has said to a node, which was away then, that the run has ended.
struct RunIsOver {};

/// Where the links' thread leaves what came, and the role's thread waits for it.
class Inbox {
 public:
  /// @param taken  called on the role's thread once it is out
  void put(Incoming incoming, std::function<void()> taken = {});
  /// The next, or nullopt once `timeout` has passed (below 0: never).
  /// @throws NodeStopped after stop(); what fail() was given; RunIsOver after end() once all that came before is out
  std::optional<Incoming> take(Seconds timeout);
  /// Whom to tell whether urgent messages wait; on any thread.
  void tell_urgent(std::function<void(bool)> tell);
  void stop();
  void end();
  /// @throws what take() would throw without waiting
  void check();
  /// The run cannot go on here.
  void fail(std::exception_ptr why);

 private:
  struct Item {
    Incoming incoming;
    std::function<void()> taken;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  UrgentMail urgent_;
  bool stopped_ = false;
  bool ended_ = false;
  std::exception_ptr failure_;
};

}  // namespace dipaco
