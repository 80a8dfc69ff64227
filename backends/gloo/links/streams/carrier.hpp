#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "backends/gloo/links/streams/chunk_slot.hpp"

namespace dipaco {

/// Chunks under way at once on a stream: while one is sealed or opened, others travel. A chunk is asked for once all
/// but so many of those before it have come; both sides count on that.
inline constexpr std::size_t kDepth = 4;

/// One for each chunk that is under way.
using ChunkSlots = std::vector<std::unique_ptr<ChunkSlot>>;

/// How far a stream has come: so many chunks, and so many bytes of the next as it travels (of its sealed form; without
/// a key of the chunk itself).
struct StreamPlace {
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const StreamPlace&, const StreamPlace&) = default;
};

/// What a stream's thread does with its chunks, one way, over one connection after another. Of that thread, but for
/// what says otherwise.
class Carrier {
 public:
  /// On the stream's thread.
  using Done = std::function<void()>;

  virtual ~Carrier() = default;
  /// Returns once `interrupted`, or once a wait was ended. @throws LinkError where what came is damaged; what Gloo
  /// throws where the connection breaks
  virtual void carry(const std::atomic<bool>& interrupted) = 0;
  /// The connection is over. @returns how far the receiver has come; of a sender the place that it begins to wait for
  virtual StreamPlace settle() = 0;
  /// Over another connection, which the slots use by now. @throws LinkError where this cannot be the place
  virtual void go_on(const StreamPlace& place) = 0;
  /// carry() looks again what there is to do. From any thread.
  virtual void wake() = 0;
};

/// What waits for a stream's thread.
template <class Piece>
class Pieces {
 public:
  /// From any thread.
  void put(Piece piece) {
    const std::lock_guard lock(mutex_);
    pieces_.push_back(std::move(piece));
    changed_.notify_one();
  }
  /// The next, if there is one.
  std::optional<Piece> take() {
    const std::lock_guard lock(mutex_);
    if (pieces_.empty()) return std::nullopt;
    Piece piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
  }
  /// Until there is one, or wake() was called since the last wait.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return woken_ || !pieces_.empty(); });
    woken_ = false;
  }
  /// From any thread.
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> pieces_;
  bool woken_ = false;
};

}  // namespace dipaco
