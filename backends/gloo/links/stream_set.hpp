#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backends/gloo/links/frame.hpp"
#include "backends/gloo/links/streams/stream.hpp"

namespace dipaco {

/// A link's streams: the first half carries what its initiator sends, the other half what it receives. Both sides put
/// the chunks of one way on its streams in turn. On the links' thread.
class StreamSet {
 public:
  explicit StreamSet(bool initiator) : initiator_(initiator) {}

  /// Something waits for streams. @returns whether that is new
  bool want() { return !std::exchange(wanted_, true); }
  /// There will be so many, both ways together.
  void expect(std::size_t streams) { streams_.resize(streams); }
  std::size_t size() const { return streams_.size(); }
  /// @returns whether it is one of those that are expected, and is not there yet
  bool add(const OpenStream& which, std::unique_ptr<Stream> stream);
  /// All are there.
  bool ready() const { return open_ > 0 && open_ == streams_.size(); }
  /// What this side does with a stream.
  Stream::Way way(const OpenStream& which) const;
  /// Which stream carries the next chunk that goes this way; the next call says it of the chunk behind that one.
  std::size_t next(Stream::Way way);
  /// REQUIRES: ready()
  Stream& at(std::size_t stream) { return *streams_.at(stream); }
  /// Another number where any byte has come or gone.
  std::uint64_t moves() const;
  void stop();

 private:
  bool initiator_;
  bool wanted_ = false;
  std::uint64_t chunks_out_ = 0;
  std::uint64_t chunks_in_ = 0;
  std::size_t open_ = 0;
  std::vector<std::unique_ptr<Stream>> streams_;
};

}  // namespace dipaco
