#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "backends/gloo/links/renewals.hpp"
#include "backends/gloo/links/stream_set.hpp"

namespace dipaco {

struct LinkStreamsOptions {
  bool initiator = false;            ///< of the link: opens the streams
  std::uint32_t each_way = 1;        ///< the initiator's; the other side takes what it opens
  Seconds limit{10};                 ///< no stream counts as lost that stands for less
  std::shared_ptr<Pauses> pauses{};  ///< of this process's streams
};

struct LinkStreamsHooks {
  /// Something waits for streams for the first time: the initiator connects so many, the other side asks for them.
  std::function<void(std::uint32_t streams)> open;
  std::function<void()> ready;  ///< all are there
  /// What a stream's thread calls for `work` to be done on the links' thread, as long as there is the link.
  std::function<Stream::Done(std::function<void()> work)> later;
  RenewalHooks renewal;
};

/// Gives a link its streams: has them opened when the first message waits for one, takes them, and has those made anew
/// that stand still or break. On the links' thread.
class LinkStreams {
 public:
  /// @param set  of this link's: must outlive this, but not its threads
  LinkStreams(StreamSet& set, LinkStreamsOptions options, LinkStreamsHooks hooks);

  /// What makes streams anew.
  Renewals& renewals() { return renewals_; }
  /// Streams there are or will be, both ways together.
  std::uint32_t count() const { return static_cast<std::uint32_t>(set_.size()); }
  /// What this side does with a stream.
  Stream::Way way(const OpenStream& which) const { return set_.way(which); }

  /// Something waits for them. The initiator is to open them, unless it does so already.
  void want();
  /// A further connection, from either side; ends the link where it does not fit the others.
  void add(const OpenStream& which, std::unique_ptr<Stream> stream);
  /// One could not be had.
  void not_opened(const std::string& why) { hooks_.renewal.failed("no stream for large messages: " + why); }
  /// What a stream of this link's tells it.
  StreamHooks hooks_of(std::uint32_t stream);

 private:
  StreamSet& set_;
  bool initiator_;
  std::uint32_t each_way_;
  LinkStreamsHooks hooks_;
  Renewals renewals_;
};

}  // namespace dipaco
