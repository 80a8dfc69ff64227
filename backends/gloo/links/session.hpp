#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/gloo/links/arrival.hpp"
#include "backends/gloo/links/connection.hpp"
#include "backends/gloo/links/frame.hpp"
#include "backends/gloo/links/stream.hpp"
#include "core/base/units.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

struct SessionOptions {
  Seconds period{3};          ///< between signs of life
  Seconds limit{10};          ///< silent for so long: lost
  std::uint32_t streams = 1;  ///< each way
  /// Bytes of messages that wait for this node to take them; one more may come. A link that has more reads no further.
  std::uint64_t inbox = 64 << 20;
};

/// Who is at the two ends of a link, and what it is called.
struct LinkName {
  NodeId self{};
  NodeId peer{};
  Token link;
  bool initiator = false;
};

/// What a session tells its owner, on the links' thread.
struct SessionHooks {
  /// In the order in which they were sent. `size` counts as waiting until Session::taken.
  std::function<void(Envelope, std::uint64_t size)> arrived;
  std::function<void(Frame)> frame;                         ///< of any kind that is the owner's business
  std::function<void(std::uint32_t streams)> open_streams;  ///< of the initiator: connect so many
  std::function<void(const std::string& why)> ended;        ///< once; not after Session::end
  std::function<Seconds()> now;                             ///< the run's clock
};

/// One link with one peer, from its handshake to its loss. Small messages, signs of life and all that is about the link
/// go by its first connection, large messages by its streams, so that neither waits for the other; they are delivered
/// in the order in which they were sent. All calls from the links' thread.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(asio::io_context& io, LinkName name, std::shared_ptr<Connection> connection, const SessionOptions& options,
          std::shared_ptr<SpareArrays> spare, SessionHooks hooks);

  void start();
  /// Everything under way is gone.
  void end();
  const LinkName& name() const { return name_; }
  const std::string& address() const { return connection_->peer(); }
  /// The peer has said that nothing more will come.
  bool left() const { return left_; }

  void send(const Message& message);
  void send(FrameKind kind, std::vector<std::byte> payload);
  /// So many bytes of what has arrived are out of the inbox.
  void taken(std::uint64_t bytes);
  /// A further connection, from either side. Large messages go once all are there.
  void add_stream(const OpenStream& which, std::unique_ptr<Stream> stream);
  /// What this side does with a stream.
  Stream::Way way(const OpenStream& which) const;
  /// This node sends nothing more. Once the peer has all of it, it ends the link.
  void leave();
  /// Nothing waits to be sent.
  bool idle() const { return out_.empty() && !writing_ && large_.empty() && sending_.empty(); }
  /// The callback of a stream of this session's that fails.
  Stream::Failed stream_failed();

 private:
  /// A large message on its way out.
  struct Sending {
    Message message;  ///< its values are sent from where they lie
    std::vector<std::byte> head;
    std::vector<LongArray> arrays;
    std::uint64_t size = 0;
    std::size_t chunks_left = 0;
  };

  Awaitable<void> read_all();
  Awaitable<void> write_all();
  Awaitable<void> watch();
  void ended(const std::string& why);
  void take(Frame frame);
  void whole(std::uint64_t number, Received message);
  void deliver(const Received& message);
  void ask_for_streams();
  void end_if_left();
  void say_farewell();
  bool streams_ready() const { return streams_open_ > 0 && streams_open_ == streams_.size(); }
  void send_large();
  void send_chunks(Sending& sending, std::uint64_t number, std::uint64_t padding);
  void receive_large();
  /// False where no further message may be asked for.
  bool ask_for_next();
  /// Which stream carries the chunk with this number of all that go this way.
  std::size_t stream_of(std::size_t chunk, Stream::Way way) const;
  /// On a stream's thread: tells the links' thread that one more chunk of a large message is through.
  Stream::Done chunk_done(std::uint64_t number, void (Session::*through)(std::uint64_t));
  void chunk_sent(std::uint64_t number);
  void chunk_received(std::uint64_t number);

  asio::io_context& io_;
  LinkName name_;
  std::shared_ptr<Connection> connection_;
  SessionOptions options_;
  SessionHooks hooks_;
  bool over_ = false;

  std::deque<Frame> out_;
  bool writing_ = false;
  asio::steady_timer wake_writer_;
  asio::steady_timer watch_;
  asio::steady_timer::time_point heard_;

  std::uint64_t sent_messages_ = 0;
  std::uint64_t chunks_out_ = 0;
  std::deque<std::pair<std::uint64_t, Message>> large_;  ///< not yet on the streams
  std::map<std::uint64_t, Sending> sending_;             ///< by number
  std::uint64_t sending_bytes_ = 0;
  std::vector<std::byte> zeros_;  ///< one chunk, to pad with
  std::uint64_t next_ = 0;        ///< message to deliver
  std::uint64_t chunks_in_ = 0;
  std::deque<Announce> announced_;  ///< not yet asked for
  std::shared_ptr<SpareArrays> spare_;
  std::map<std::uint64_t, Arrival> receiving_;  ///< by number
  std::optional<std::uint64_t> asking_;         ///< whose chunks are asked for now
  std::size_t chunks_asked_ = 0;                ///< that have not come
  std::map<std::uint64_t, Received> early_;     ///< whole, before their turn
  std::uint64_t waiting_ = 0;                   ///< bytes asked for or arrived, and not taken
  bool left_ = false;                           ///< the peer has said that nothing more will come
  bool leaving_ = false;                        ///< this node has nothing more to send than what waits here
  bool farewell_said_ = false;

  // Last: their threads use what stands above.
  std::vector<std::unique_ptr<Stream>> streams_;
  std::size_t streams_open_ = 0;
  bool streams_asked_ = false;
};

}  // namespace dipaco
