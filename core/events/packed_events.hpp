#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/events/event.hpp"

namespace dipaco {

/// Events in the order they were added, in about a tenth of the memory of their structs. Of each, only the fields are
/// kept that differ from those of the last event of its kind and detail (the time: of the last event), as differences
/// of variable length. They come back bit for bit.
class PackedEvents {
 public:
  void add(const Event& event);
  std::vector<Event> events() const;
  std::size_t size() const { return size_; }
  /// Memory that the events take, in bytes.
  std::size_t bytes() const;

  /// All fields but kind and detail as 64 bits each, reals by their bits.
  static constexpr std::size_t kFields = 13;
  using Fields = std::array<std::uint64_t, kFields>;

 private:
  /// The fields that the next event of a kind and detail is told from.
  class Reference {
   public:
    Fields& of(EventKind kind, std::uint8_t detail);
    void advance(Fields& reference, const Fields& event);

   private:
    std::map<std::pair<EventKind, std::uint8_t>, Fields> last_;
    std::uint64_t time_ = 0;
  };

  Reference reference_;
  std::vector<std::vector<std::uint8_t>> blocks_;  ///< each event lies in one; a full block is never copied
  std::size_t size_ = 0;
};

}  // namespace dipaco
