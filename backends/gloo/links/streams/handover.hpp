#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "backends/gloo/links/streams/carrier.hpp"

namespace dipaco {

/// How a stream's thread is brought from one connection to the next: it leaves the one that it has, says how far it has
/// come, and waits for another. Either side may begin: the thread where its connection breaks, the links' thread where
/// it is to be cut.
class Handover {
 public:
  /// Another connection, and where the stream goes on over it.
  struct Next {
    int socket = -1;  ///< the taker's
    StreamPlace place;
  };

  /// @param interrupt  ends the connection that the thread has now, and brings the thread out of whatever it waits for.
  /// Is called with this locked: no other connection is taken until it returns
  explicit Handover(std::function<void()> interrupt) : interrupt_(std::move(interrupt)) {}
  /// Closes a socket that nobody took.
  ~Handover();
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  /// The links' thread: has the connection left. @returns where the stream goes on; nothing that counts once stopped
  StreamPlace cut();
  /// The links' thread: here is another, in the place of one that was offered and not taken yet.
  void offer(const Next& next);
  /// The thread ends. From any thread.
  void stop();

  /// The stream's thread: whether it is to leave its connection.
  const std::atomic<bool>& interrupted() const { return interrupted_; }
  /// The stream's thread: has left it at this place, and will wait. @returns whether nobody had told it to
  bool left(const StreamPlace& place);
  /// The stream's thread: waits for another. @returns nullopt once stopped
  std::optional<Next> take();
  /// The stream's thread: it ends, and nobody need wait for it.
  void end();

 private:
  void interrupt();

  std::function<void()> interrupt_;
  std::atomic<bool> interrupted_{false};
  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  bool stopped_ = false;
  std::optional<StreamPlace> waits_at_;  ///< for another connection
  std::optional<Next> next_;
};

}  // namespace dipaco
