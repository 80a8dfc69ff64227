#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "backends/gloo/links/sealing/handshake.hpp"
#include "backends/gloo/links/streams/chunk_receiver.hpp"
#include "backends/gloo/links/streams/chunk_sender.hpp"
#include "backends/gloo/links/streams/handover.hpp"
#include "backends/gloo/links/streams/pair.hpp"

namespace dipaco {

/// What a stream tells its owner, on the stream's thread.
struct StreamHooks {
  std::function<void(const std::string& why)> failed;  ///< it cannot go on, and its thread has ended
  std::function<void(const std::string& why)> broke;   ///< its connection: it waits for another one
  /// It goes on over another connection. @param on_the_way  the sender's: some of what it had sent was not there
  std::function<void(bool on_the_way)> went_on;
};

/// What carries large messages of a link, in chunks, one way: a thread seals and sends, or receives and opens. Both
/// sides know without a word which chunk comes next. What Gloo says to the sender of memory that is ready never waits
/// behind large messages of the other way: they have a connection of their own.
///
/// A stream outlives its connection. It keeps its keys and the numbers of its chunks, so the rest of a chunk that came
/// by half fits what is there (docs/decisions/0017).
class Stream {
 public:
  enum class Way { sends, receives };
  using Done = Carrier::Done;

  /// @param socket  connected, with its handshake done; becomes the stream's
  Stream(std::shared_ptr<gloo::transport::Device> device, int socket, const SessionKeys& keys, Way way,
         StreamHooks hooks);
  /// Waits for its thread; what was not sent is not sent.
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// @param piece  of at most kChunk bytes. REQUIRES that it sends
  void send(ChunkSender::Piece piece) { sender_->put(std::move(piece)); }
  /// @param piece  as long as the chunk that the other side sends next. REQUIRES that it receives
  void receive(ChunkReceiver::Piece piece) { receiver_->put(std::move(piece)); }
  /// Null where it receives.
  ChunkSender* sender() { return sender_.get(); }
  /// Null where it sends.
  const ChunkReceiver* receiver() const { return receiver_.get(); }

  /// Changes with whatever comes from the other side, were it one byte. From any thread.
  std::uint64_t moves() const;
  /// Changes with whatever the system takes to send, and begins anew with each connection. From any thread.
  std::uint64_t writes() const;
  /// Of the receiving side: ends the connection. @returns where another one goes on
  StreamPlace cut() { return handover_.cut(); }
  /// Goes on over another connection; the present one ends. @param place  what the receiving side's cut() returned
  void go_on(int socket, const StreamPlace& place) { handover_.offer({socket, place}); }
  /// The thread ends. From any thread.
  void stop() { handover_.stop(); }

 private:
  Carrier& carrier() { return sender_ ? static_cast<Carrier&>(*sender_) : *receiver_; }
  void run();
  /// Waits for another connection once this one is over. @param why  ""  @returns false once stopped
  bool renew(const std::string& why);
  std::shared_ptr<GlooLink> connect(int socket);
  void use(const std::shared_ptr<GlooLink>& link);
  /// The thread comes out of whatever it waits for.
  void interrupt();

  std::shared_ptr<gloo::transport::Device> device_;
  StreamHooks hooks_;
  ChunkSlots slots_;
  std::unique_ptr<ChunkSender> sender_;
  std::unique_ptr<ChunkReceiver> receiver_;
  Handover handover_;
  mutable std::mutex mutex_;  ///< of what follows
  std::shared_ptr<GlooLink> link_;
  std::uint64_t moves_before_ = 0;  ///< over earlier connections
  std::jthread thread_;
};

}  // namespace dipaco
