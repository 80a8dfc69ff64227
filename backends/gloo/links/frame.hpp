#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/events/event.hpp"
#include "core/transport/fields.hpp"

namespace dipaco {

/// What a frame is. The order is part of the wire format.
enum class FrameKind : std::uint8_t {
  join,         ///< to the coordinator: let me take part
  welcome,      ///< its answer
  refused,      ///< its other answer
  open_link,    ///< to any other node: let us exchange messages
  link_open,    ///< its answer
  open_stream,  ///< on a further connection: this one carries large messages of that link
  stream_open,
  alive,         ///< nothing but a sign of life
  member,        ///< coordinator to all: who is where, and up or not
  message,       ///< a small message, whole
  announce,      ///< a large message will come on the streams
  want_streams,  ///< to the link's initiator: open them
  report,        ///< to the coordinator: what this node has counted and recorded
  report_kept,   ///< its answer
  farewell,      ///< nothing more will come from here
  run_over,      ///< coordinator to all: the run is, whether its role has said so or not
  renew_stream,  ///< to the link's initiator: open this one anew
  go_on,         ///< on such a connection, from the side that receives: send from here on
  came,          ///< to the side that sends: so much of each stream is here
};
inline constexpr auto kLastFrameKind = FrameKind::came;

struct FrameHeader {
  std::uint32_t size = 0;  ///< of the sealed payload
  FrameKind kind{};
};
inline constexpr std::size_t kFrameHeaderSize = 8;
/// A frame's payload before sealing is at most so large; what is larger goes by the streams.
inline constexpr std::size_t kLargestPayload = 1 << 20;

using FrameHeaderBytes = std::array<std::byte, kFrameHeaderSize>;

FrameHeaderBytes encode(const FrameHeader& header);
/// @throws LinkError where it is none: no such kind, or larger than any frame
FrameHeader decode_frame_header(const FrameHeaderBytes& bytes);

struct Frame {
  FrameKind kind{};
  std::vector<std::byte> payload;
};

// The payloads. Each lists its fields once, as messages do.

/// Names one link or one node for good: 16 random bytes, as 32 hexadecimal digits.
using Token = std::string;

/// A node, as the coordinator knows it and tells everybody.
struct Member {
  NodeId id{};
  Role role{};
  std::int32_t incarnation = 0;
  SiteId site{};  ///< by the coordinator, for the site's name
  std::string site_name;
  std::string machine;
  std::string host;  ///< where it listens
  std::uint16_t port = 0;
  bool up = false;
  bool left = false;  ///< it has said that nothing more comes from it
  template <class A>
  void fields(A& a) {
    a(id, role, incarnation, site, site_name, machine, host, port, up, left);
  }
};

struct Join {
  Token key;            ///< of this node's state: a node that comes back is known by it
  std::string run;      ///< that this state belongs to; "": none yet
  Member self;          ///< but for its id, and its number where the coordinator knows the key
  std::string version;  ///< of the program
  std::string config_hash;
  Token replaces;  ///< the last link with the coordinator, which has ended; "": none
  Token link;      ///< this one's name
  template <class A>
  void fields(A& a) {
    a(key, run, self, version, config_hash, replaces, link);
  }
};

struct Welcome {
  NodeId id{};
  std::string run;
  double heard = 0;  ///< when the join came; seconds, the run's clock
  double now = 0;    ///< when this went
  std::vector<Member> members;
  template <class A>
  void fields(A& a) {
    a(id, run, heard, now, members);
  }
};

/// With the exit status that it is worth.
struct Refused {
  static constexpr std::int32_t kComeAgain = 0;
  static constexpr std::int32_t kRunIsOver = -1;
  std::int32_t status = kComeAgain;
  std::string why;
  template <class A>
  void fields(A& a) {
    a(status, why);
  }
};

struct OpenLink {
  NodeId from{};
  NodeId to{};
  std::int32_t incarnation = 0;
  std::string run;
  Token replaces;
  Token link;
  template <class A>
  void fields(A& a) {
    a(from, to, incarnation, run, replaces, link);
  }
};

struct LinkOpen {
  bool accepted = false;
  template <class A>
  void fields(A& a) {
    a(accepted);
  }
};

struct OpenStream {
  Token link;
  std::uint32_t stream = 0;   ///< from 0
  std::uint32_t streams = 0;  ///< of this link: the first half carries what its initiator sends
  bool again = false;         ///< in the place of its present connection
  template <class A>
  void fields(A& a) {
    a(link, stream, streams, again);
  }
};

struct RenewStream {
  std::uint32_t stream = 0;
  template <class A>
  void fields(A& a) {
    a(stream);
  }
};

/// Where a stream goes on, and why it does so over another connection.
struct GoOn {
  std::uint64_t chunks = 0;  ///< that have come
  std::uint64_t bytes = 0;   ///< of the next, that have come
  double stood = 0;          ///< seconds
  bool broke = false;        ///< its connection, by itself
  template <class A>
  void fields(A& a) {
    a(chunks, bytes, stood, broke);
  }
};

/// Chunks that have come, by stream of this direction.
struct Came {
  std::vector<std::uint64_t> chunks;
  template <class A>
  void fields(A& a) {
    a(chunks);
  }
};

struct ReportKept {
  std::uint64_t number = 0;  ///< this report, and all before it
  template <class A>
  void fields(A& a) {
    a(number);
  }
};

/// A long array of a large message.
struct ArraySize {
  ItemKind kind{};
  std::uint64_t bytes = 0;
  template <class A>
  void fields(A& a) {
    a(kind, bytes);
  }
};

/// A large message comes on the streams: its head, its long arrays, then bytes that stand for values which are only
/// charged for. Each of these is cut in chunks of its own.
struct Announce {
  std::uint64_t number = 0;  ///< of the message, among all of this direction
  std::uint64_t head = 0;    ///< bytes
  std::vector<ArraySize> arrays;
  std::uint64_t padding = 0;  ///< bytes
  template <class A>
  void fields(A& a) {
    a(number, head, arrays, padding);
  }
};

template <class Payload>
std::vector<std::byte> encode_payload(Payload payload) {
  ByteWriter writer;
  Encoder encoder(writer);
  payload.fields(encoder);
  return writer.take();
}

/// @throws DataError where the bytes are none
template <class Payload>
Payload decode_payload(std::span<const std::byte> bytes, const std::string& source) {
  ByteReader reader(bytes, source);
  Decoder decoder(reader);
  Payload payload;
  payload.fields(decoder);
  if (reader.remaining() != 0) reader.fail("it is too long");
  return payload;
}

}  // namespace dipaco
