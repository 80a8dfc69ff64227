#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/gloo/links/arrival.hpp"
#include "backends/gloo/links/stream_set.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

struct LargeReceiverHooks {
  std::function<void(std::uint64_t number, Received)> whole;  ///< all of a message is there
  /// What a stream's thread calls for `work` to be done on the links' thread, as long as there is the link.
  std::function<Stream::Done(std::function<void()> work)> later;
  std::function<Seconds()> now;  ///< the run's clock
};

/// A link's large messages on their way in: asks for the chunks of those that are announced, as long as not too much
/// waits for this node to take it. What throws LinkError ends the link. On the links' thread.
class LargeReceiver {
 public:
  /// @param streams  must outlive this, but not its threads
  /// @param inbox    bytes of messages that may wait; one more may come
  LargeReceiver(StreamSet& streams, std::uint64_t inbox, std::shared_ptr<SpareArrays> spare, LargeReceiverHooks hooks)
      : streams_(streams), inbox_(inbox), spare_(std::move(spare)), hooks_(std::move(hooks)) {}

  void announced(Announce announce) { announced_.push_back(std::move(announce)); }
  /// So many bytes more wait for this node, that have come elsewhere.
  void arrived(std::uint64_t bytes) { waiting_ += bytes; }
  /// This node has taken so many.
  void taken(std::uint64_t bytes);
  /// Asks for the next chunks, if there are any and the streams are there. @throws LinkError
  void go_on();
  /// What is on its way from this node, as far as it has said what it is.
  void tell(NodeId from, std::vector<UnderWay>& under_way) const;
  /// Nothing is announced that has not come.
  bool empty() const { return announced_.empty() && receiving_.empty(); }

 private:
  /// False where no further message may be asked for.
  bool ask_for_next();
  void chunk_came(std::uint64_t number, std::span<const std::byte> chunk);

  StreamSet& streams_;
  std::uint64_t inbox_;
  std::shared_ptr<SpareArrays> spare_;
  LargeReceiverHooks hooks_;
  std::deque<Announce> announced_;              ///< not yet asked for
  std::map<std::uint64_t, Arrival> receiving_;  ///< by number
  std::optional<std::uint64_t> asking_;         ///< whose chunks are asked for now
  std::size_t chunks_asked_ = 0;                ///< that have not come
  std::uint64_t waiting_ = 0;                   ///< bytes asked for or arrived, and not taken
};

}  // namespace dipaco
