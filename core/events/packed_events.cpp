#include "core/events/packed_events.hpp"

#include <bit>
#include <span>

namespace dipaco {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 14U;
constexpr std::size_t kTime = 2;  // place of the time among the fields
constexpr std::uint8_t kHasDetail = 0x80;
constexpr std::size_t kLongestVarint = 10;
constexpr std::size_t kLongestEvent = 2 + (1 + PackedEvents::kFields) * kLongestVarint;

std::uint64_t bits(std::int32_t number) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(number)); }
std::uint64_t bits(double number) { return std::bit_cast<std::uint64_t>(number); }
std::int32_t number(std::uint64_t bits) { return static_cast<std::int32_t>(static_cast<std::int64_t>(bits)); }

/// Those that change most often come first, so that the mask of those that changed takes one byte as a rule.
PackedEvents::Fields fields_of(const Event& event) {
  return {bits(index(event.node)),  bits(index(event.path)),           bits(event.time.count()),
          bits(index(event.peer)),  bits(event.module.expert),         event.bytes,
          bits(event.value),        bits(event.begin.count()),         bits(number(event.outer_step)),
          bits(event.module.level), bits(std::int32_t{event.attempt}), bits(event.inner_steps),
          bits(event.version)};
}

Event event_of(const PackedEvents::Fields& fields, EventKind kind, std::uint8_t detail) {
  return {.time = Seconds(std::bit_cast<double>(fields[kTime])),
          .kind = kind,
          .detail = detail,
          .attempt = static_cast<std::int16_t>(number(fields[10])),
          .node = NodeId{number(fields[0])},
          .peer = NodeId{number(fields[3])},
          .path = PathId{number(fields[1])},
          .module = {number(fields[9]), number(fields[4])},
          .outer_step = OuterStep{number(fields[8])},
          .version = number(fields[12]),
          .inner_steps = number(fields[11]),
          .begin = Seconds(std::bit_cast<double>(fields[7])),
          .bytes = fields[5],
          .value = std::bit_cast<double>(fields[6])};
}

/// Small differences in either direction become small numbers.
std::uint64_t folded(std::uint64_t difference) {
  const std::uint64_t sign = (difference >> 63U) != 0 ? ~std::uint64_t{0} : 0;
  return (difference << 1U) ^ sign;
}
std::uint64_t unfolded(std::uint64_t code) { return (code >> 1U) ^ (~(code & 1U) + 1); }

/// One event's code, lowest seven bits of a number first.
struct Code {
  std::array<std::uint8_t, kLongestEvent> bytes;
  std::size_t size = 0;

  void byte(std::uint64_t value) { bytes[size++] = static_cast<std::uint8_t>(value); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) byte(value | 0x80U);
    byte(value);
  }
};

/// Reads what Code wrote; the bytes are our own, in memory.
struct CodeReader {
  std::span<const std::uint8_t> bytes;
  std::size_t at = 0;

  std::uint8_t byte() { return bytes[at++]; }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t part = byte();
      value |= (part & 0x7fU) << shift;
      if ((part & 0x80U) == 0) return value;
    }
  }
};

}  // namespace

PackedEvents::Fields& PackedEvents::Reference::of(EventKind kind, std::uint8_t detail) {
  Fields& fields = last_.try_emplace({kind, detail}, fields_of({})).first->second;
  fields[kTime] = time_;
  return fields;
}

void PackedEvents::Reference::advance(Fields& reference, const Fields& event) {
  reference = event;
  time_ = event[kTime];
}

void PackedEvents::add(const Event& event) {
  Fields& reference = reference_.of(event.kind, event.detail);
  const Fields fields = fields_of(event);
  Code code;
  const auto kind = static_cast<std::uint8_t>(event.kind);
  code.byte(event.detail == 0 ? kind : kind | kHasDetail);
  if (event.detail != 0) code.byte(event.detail);
  std::uint64_t changed = 0;
  for (std::size_t i = 0; i < kFields; ++i) changed |= std::uint64_t{fields[i] != reference[i]} << i;
  code.varint(changed);
  for (std::size_t i = 0; i < kFields; ++i) {
    if (fields[i] != reference[i]) code.varint(folded(fields[i] - reference[i]));
  }
  reference_.advance(reference, fields);
  if (blocks_.empty() || blocks_.back().size() + code.size > kBlockBytes) blocks_.emplace_back().reserve(kBlockBytes);
  blocks_.back().insert(blocks_.back().end(), code.bytes.begin(), code.bytes.begin() + code.size);
  ++size_;
}

std::vector<Event> PackedEvents::events() const {
  std::vector<Event> events;
  events.reserve(size_);
  Reference last;
  for (const auto& block : blocks_) {
    for (CodeReader reader{block}; reader.at < block.size();) {
      const std::uint8_t head = reader.byte();
      const auto kind = static_cast<EventKind>(head & ~kHasDetail);
      const std::uint8_t detail = (head & kHasDetail) != 0 ? reader.byte() : 0;
      Fields& reference = last.of(kind, detail);
      Fields fields = reference;
      const std::uint64_t changed = reader.varint();
      for (std::size_t i = 0; i < kFields; ++i) {
        if ((changed >> i & 1U) != 0) fields[i] += unfolded(reader.varint());
      }
      events.push_back(event_of(fields, kind, detail));
      last.advance(reference, fields);
    }
  }
  return events;
}

std::size_t PackedEvents::bytes() const {
  std::size_t bytes = 0;
  for (const auto& block : blocks_) bytes += block.capacity();
  return bytes;
}

}  // namespace dipaco
