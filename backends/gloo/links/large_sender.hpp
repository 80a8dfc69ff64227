#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "backends/gloo/links/stream_set.hpp"
#include "core/base/units.hpp"
#include "core/transport/large.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// What goes over a link of a message, but for its long arrays: when it was sent, and its encoding.
std::vector<std::byte> head_of(Seconds sent, std::span<const std::byte> encoding);

/// Large messages to other sites take turns (core/transport/line_turns.hpp).
struct TurnHooks {
  std::function<bool(const Message&)> concerns;  ///< false: it goes, and the next two are not called for it
  std::function<bool(const Message&)> ask;       ///< whether it goes now; if not, LargeMessages::go_on once it may
  std::function<void()> arrived;                 ///< all of one that went
};

struct LargeSenderHooks {
  std::function<void(const Announce&)> announce;  ///< tells the other side what comes next on the streams
  std::function<void()> all_announced;            ///< nothing waits for the streams any more
  std::function<Seconds()> now;                   ///< the run's clock
  /// What a stream's thread calls for `work` to be done on the links' thread, as long as there is the link.
  std::function<Stream::Done(std::function<void()> work)> later;
  TurnHooks turns;
};

/// A link's large messages on their way out: each is announced, and goes in chunks over the streams. It is kept until
/// all of it has come; what holds the next one back is only what the system has not taken. On the links' thread.
class LargeSender {
 public:
  /// @param streams  must outlive this, but not its threads
  LargeSender(StreamSet& streams, LargeSenderHooks hooks) : streams_(streams), hooks_(std::move(hooks)) {}

  /// @param number  of the message, among all of this direction
  void put(std::uint64_t number, const Message& message) { waiting_.push_back({number, message, hooks_.now()}); }
  /// Something waits for the streams.
  bool waits() const { return !waiting_.empty(); }
  /// What is on its way to this node, or waits for that.
  void tell(NodeId to, std::vector<UnderWay>& under_way) const;
  /// Puts on the streams what they have room for and may go. REQUIRES that they are ready
  void go_on();

 private:
  /// A message that is not yet on the streams.
  struct Waiting {
    std::uint64_t number = 0;
    Message message;
    Seconds since{};
    bool takes_turns = false;
  };
  /// A message that is on the streams.
  struct Sending {
    Message message;  ///< its values are sent from where they lie
    Seconds since{};  ///< when this node sent it
    std::vector<std::byte> head;
    std::vector<LongArray> arrays;
    std::uint64_t size = 0;
    bool takes_turns = false;
    std::size_t chunks_left = 0;  ///< that the system has not taken
    std::size_t chunks_held = 0;  ///< that are not known to have come
    std::uint64_t there = 0;      ///< bytes of the others
  };

  bool next_goes();
  void begin(Waiting next);
  void send_chunks(Sending& sending, std::uint64_t number, std::uint64_t padding);
  void chunk_sent(std::uint64_t number);
  void chunk_came(std::uint64_t number, std::size_t bytes);

  StreamSet& streams_;
  LargeSenderHooks hooks_;
  std::deque<Waiting> waiting_;
  std::map<std::uint64_t, Sending> sending_;  ///< by number: until all of it has come
  std::uint64_t sending_bytes_ = 0;           ///< of those that the system has not taken all of
  std::vector<std::byte> zeros_;              ///< one chunk, to pad with
};

}  // namespace dipaco
