#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "backends/gloo/links/large_receiver.hpp"
#include "backends/gloo/links/large_sender.hpp"
#include "backends/gloo/links/link_streams.hpp"
#include "backends/gloo/links/stream_set.hpp"

namespace dipaco {

struct LargeOptions {
  bool initiator = false;                ///< of the link: opens the streams
  std::uint32_t streams = 1;             ///< each way
  std::uint64_t inbox = 0;               ///< bytes of messages that may wait for this node; one more may come
  std::shared_ptr<SpareArrays> spare{};  ///< for what comes
  Seconds limit{10};                     ///< no stream counts as lost that stands for less
  std::shared_ptr<Pauses> pauses{};      ///< of this process's streams
};

struct LargeHooks {
  /// The first message waits for streams: the initiator connects so many, the other side asks for them.
  std::function<void(std::uint32_t streams)> want_streams;
  std::function<void(const Announce&)> announce;              ///< tells the other side what comes next on the streams
  std::function<void()> all_announced;                        ///< nothing waits for the streams any more
  std::function<void(std::uint64_t number, Received)> whole;  ///< all of a message is there
  std::function<void()> came;                                 ///< one more chunk has
  std::function<void(const std::string& why)> failed;         ///< the link cannot go on
  std::function<Seconds()> now;                               ///< the run's clock
  std::function<Stream::Done(std::function<void()>)> later;   ///< see LargeSenderHooks
  TurnHooks turns;
  RenewalHooks renewal;  ///< but for `failed`
};

/// A link's large messages, both ways, over streams that are opened when the first one is to go. On the links' thread.
class LargeMessages {
 public:
  LargeMessages(LargeOptions options, LargeHooks hooks);

  /// @param number  of the message, among all that this side sends
  void send(std::uint64_t number, const Message& message);
  /// What waited for its turn has it.
  void go_on() { send_on(); }
  /// Something is not announced yet.
  bool waits() const { return sender_.waits(); }
  /// A message will come on the streams.
  void announced(Announce announce);
  /// Nothing is announced that has not come.
  bool all_came() const { return receiver_.empty(); }
  /// So many bytes more wait for this node, which came in another way.
  void arrived(std::uint64_t bytes) { receiver_.arrived(bytes); }
  /// This node has taken so many.
  void taken(std::uint64_t bytes);

  /// Adds what is on its way to and from this node.
  void tell(NodeId peer, InMotion& motion) const;

  LinkStreams& streams() { return link_streams_; }
  /// What is on the streams is gone.
  void stop() { streams_.stop(); }

 private:
  LargeSenderHooks sender_hooks();
  LargeReceiverHooks receiver_hooks();
  LinkStreamsHooks streams_hooks();
  void send_on();
  void receive_on();

  LargeHooks hooks_;
  LargeSender sender_;
  LargeReceiver receiver_;
  LinkStreams link_streams_;
  StreamSet streams_;  ///< last: their threads use what stands above
};

}  // namespace dipaco
