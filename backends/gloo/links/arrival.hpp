#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "backends/gloo/links/frame.hpp"
#include "backends/gloo/links/streams/chunk_slot.hpp"
#include "core/events/traffic.hpp"
#include "core/transport/parts.hpp"

namespace dipaco {

/// A message as it came: the rest of its encoding behind the time at which it was sent, and its long arrays.
struct Received {
  std::vector<std::byte> head;
  std::vector<ReceivedArray> arrays{};
  std::uint64_t size = 0;  ///< bytes that it took of the inbox
  Seconds took{};          ///< as Envelope has it
  Seconds began{};         ///< when it left, as far as `took` tells that
};

/// A large message on its way in. Its memory grows with the chunks that are asked for: an announcement alone costs
/// none, and what is zeroed is in the processor's cache when the chunk comes.
class Arrival {
 public:
  /// @throws LinkError where it announces what cannot be
  Arrival(Announce announce, std::size_t streams, SpareArrays& spare);

  std::uint64_t size() const { return received_.size; }
  bool all_asked() const { return asked_ == received_.size; }
  /// Where the next chunk on this stream goes; before all_asked().
  std::span<std::byte> ask(std::size_t stream);
  /// One that was asked for. @param now  on the run's clock
  void came(std::span<const std::byte> chunk, Seconds now);
  /// Bytes that have come.
  std::uint64_t here() const { return here_; }
  /// What kind of message it is, as it says itself; nullopt before its first chunk has come.
  std::optional<MessageKind> kind() const;
  bool whole() const { return all_asked() && under_way_ == 0; }
  /// Once it is whole.
  Received take() { return std::move(received_); }

 private:
  /// The one that came first.
  struct FirstChunk {
    std::uint64_t size = 0;
    Seconds at{};
  };
  /// Of the part that is asked for now: the head, an array, or the padding.
  std::uint64_t part_size() const;
  std::span<std::byte> room(std::size_t stream, std::size_t size);

  Announce announce_;
  Received received_;
  std::vector<std::byte> padding_;  ///< room for a chunk of each stream: what comes there is of no use
  std::size_t part_ = 0;            ///< 0: the head; then the arrays; then the padding
  std::uint64_t asked_of_part_ = 0;
  std::uint64_t asked_ = 0;
  std::size_t under_way_ = 0;
  std::uint64_t here_ = 0;
  bool begun_ = false;  ///< the first chunk of its head has come
  std::optional<FirstChunk> first_;
  std::size_t streams_;
  SpareArrays& spare_;
};

}  // namespace dipaco
