#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "backends/gloo/links/arrival.hpp"
#include "backends/gloo/links/handshake.hpp"
#include "backends/gloo/links/pair.hpp"

namespace dipaco {

/// One connection of a link that carries large messages, in chunks, one way: a thread seals and sends, or receives and
/// opens. Both sides know without a word which chunk comes next. What Gloo says to the sender of memory that is ready
/// never waits behind large messages of the other way: they have a connection of their own.
class Stream {
 public:
  enum class Way { sends, receives };
  /// On a thread of the stream's.
  using Done = std::function<void()>;
  using Failed = std::function<void(const std::string& why)>;

  /// @param socket  connected, with its handshake done; becomes the stream's
  Stream(const std::shared_ptr<gloo::transport::Device>& device, int socket, const SessionKeys& keys, Way way,
         Failed failed);
  /// Waits for its thread; what was not sent is not sent.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// @param chunk  at most kChunk bytes, which stay as they are until `done`
  void send(std::span<const std::byte> chunk, Done done);
  /// @param into  as long as the chunk that the other side sends next
  void receive(std::span<std::byte> into, Done done);
  /// The thread ends. From any thread.
  void stop();

 private:
  template <class Bytes>
  struct Piece {
    Bytes bytes;
    Done done;
  };
  /// What a thread has to do.
  template <class Bytes>
  class Pieces {
   public:
    void put(Piece<Bytes> piece);
    /// The next, waited for where `wait`; none once stopped.
    std::optional<Piece<Bytes>> take(bool wait);
    void stop();

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Piece<Bytes>> pieces_;
    bool stopped_ = false;
  };

  void send_all();
  void receive_all();
  void run(void (Stream::*work)());

  class Slot;
  using Slots = std::vector<std::unique_ptr<Slot>>;
  Slots make_slots(bool sealed);

  SessionKeys keys_;
  Failed failed_;
  GlooLink link_;
  Slots slots_;
  Pieces<std::span<const std::byte>> to_send_;
  Pieces<std::span<std::byte>> to_receive_;
  std::jthread thread_;
};

}  // namespace dipaco
