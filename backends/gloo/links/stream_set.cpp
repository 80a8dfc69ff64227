#include "backends/gloo/links/stream_set.hpp"

namespace dipaco {

bool StreamSet::add(const OpenStream& which, std::unique_ptr<Stream> stream) {
  if (streams_.empty()) expect(which.streams);
  if (which.streams % 2 != 0 || which.streams != streams_.size() || which.stream >= streams_.size() ||
      streams_[which.stream] != nullptr) {
    return false;
  }
  streams_[which.stream] = std::move(stream);
  ++open_;
  return true;
}

Stream::Way StreamSet::way(const OpenStream& which) const {
  const bool from_initiator = which.stream < which.streams / 2;
  return from_initiator == initiator_ ? Stream::Way::sends : Stream::Way::receives;
}

std::size_t StreamSet::next(Stream::Way way) {
  const std::size_t half = streams_.size() / 2;
  const bool from_initiator = (way == Stream::Way::sends) == initiator_;
  std::uint64_t& chunks = way == Stream::Way::sends ? chunks_out_ : chunks_in_;
  return (from_initiator ? 0 : half) + chunks++ % half;
}

std::uint64_t StreamSet::moves() const {
  std::uint64_t moves = 0;
  for (const auto& stream : streams_) {
    if (stream != nullptr) moves += stream->moves() + stream->writes();
  }
  return moves;
}

void StreamSet::stop() {
  for (const auto& stream : streams_) {
    if (stream != nullptr) stream->stop();
  }
}

}  // namespace dipaco
