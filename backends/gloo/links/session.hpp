#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backends/gloo/links/connection.hpp"
#include "backends/gloo/links/large_messages.hpp"
#include "backends/gloo/links/lifeline.hpp"
#include "backends/gloo/links/reordering.hpp"
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

/// What all links of a process have in common.
struct SessionShared {
  std::shared_ptr<SpareArrays> spare;
  std::shared_ptr<Pauses> pauses;
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
  std::function<void(std::uint32_t stream)> renew_stream;   ///< of the initiator: connect this one anew
  std::function<void(const Stall&)> stalled;                ///< for the log: a stream is made anew
  std::function<void(const std::string& why)> ended;        ///< once; not after Session::end
  std::function<Seconds()> now;                             ///< the run's clock
  TurnHooks turns;
};

/// One link with one peer, from its handshake to its loss. Small messages, signs of life and all that is about the link
/// go by its first connection, large messages by its streams, so that neither waits for the other; they are delivered
/// in the order in which they were sent. All calls from the links' thread.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(asio::io_context& io, LinkName name, std::shared_ptr<Connection> connection, const SessionOptions& options,
          SessionShared shared, SessionHooks hooks);

  void start() { line_.start(shared_from_this()); }
  /// Everything under way is gone.
  void end();
  const LinkName& name() const { return name_; }
  /// The peer has said that nothing more will come.
  bool left() const { return left_; }

  void send(const Message& message);
  void send(FrameKind kind, std::vector<std::byte> payload) { line_.send(kind, std::move(payload)); }
  /// So many bytes of what has arrived are out of the inbox.
  void taken(std::uint64_t bytes);
  /// This node sends nothing more. Once the peer has all of it, it ends the link.
  void leave();
  /// Its large messages, and what carries them. REQUIRES: over() has not been true since the caller had a say
  LargeMessages& large() { return large_; }
  /// The link has ended.
  bool over() const { return line_.closed(); }

 private:
  LargeHooks large_hooks();
  RenewalHooks renewal_hooks();
  LargeOptions large_options(const SessionOptions& options, SessionShared shared) const;
  void ended(const std::string& why);
  void take(Frame frame);
  void deliver(const Received& message);
  void say_farewell();
  void end_if_left();
  /// On a stream's thread: has `work` done on the links' thread, unless the link has ended by then.
  Stream::Done later(std::function<void()> work);

  asio::io_context& io_;
  LinkName name_;
  SessionHooks hooks_;
  Lifeline line_;
  std::uint64_t sent_messages_ = 0;
  bool left_ = false;  ///< the peer has said that nothing more will come
  enum class Farewell { none, due, said };
  Farewell farewell_ = Farewell::none;  ///< due: this node has nothing more to send than what waits here
  Reordering order_;
  LargeMessages large_;  ///< last: its threads use what stands above
};

}  // namespace dipaco
