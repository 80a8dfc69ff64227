#include "backends/gloo/links/arrival.hpp"

#include <algorithm>
#include <utility>

#include "backends/gloo/links/sealing/handshake.hpp"

namespace dipaco {
namespace {

/// No module or path state has so many bytes.
constexpr std::uint64_t kLargestMessage = std::uint64_t{1} << 40;
constexpr std::uint64_t kLargestHead = std::uint64_t{1} << 30;

bool possible(const ArraySize& array) {
  const std::uint64_t item = array.kind == ItemKind::floats ? sizeof(float) : 1;
  return array.kind <= ItemKind::floats && array.bytes > 0 && array.bytes % item == 0 && array.bytes <= kLargestMessage;
}

/// @throws LinkError where it cannot be
std::uint64_t checked_size(const Announce& announce) {
  bool fits = announce.head > 0 && announce.head <= kLargestHead && announce.padding <= kLargestMessage;
  std::uint64_t size = announce.head + std::min(announce.padding, kLargestMessage);
  for (const ArraySize& array : announce.arrays) {
    fits = fits && possible(array) && size <= kLargestMessage;
    size += std::min(array.bytes, kLargestMessage);
  }
  if (!fits || size > kLargestMessage) throw LinkError("it announces what cannot be");
  return size;
}

}  // namespace

Arrival::Arrival(Announce announce, std::size_t streams, SpareArrays& spare)
    : announce_(std::move(announce)), streams_(streams), spare_(spare) {
  received_.size = checked_size(announce_);
  received_.head.resize(announce_.head);
}

std::uint64_t Arrival::part_size() const {
  if (part_ == 0) return announce_.head;
  return part_ <= announce_.arrays.size() ? announce_.arrays[part_ - 1].bytes : announce_.padding;
}

std::span<std::byte> Arrival::ask(std::size_t stream) {
  if (asked_of_part_ == part_size()) {
    ++part_;
    asked_of_part_ = 0;
    if (part_ <= announce_.arrays.size()) {
      const ArraySize& array = announce_.arrays[part_ - 1];
      received_.arrays.emplace_back(array.kind, array.bytes, spare_);
    } else {
      padding_.resize(kChunk * streams_);
    }
  }
  const std::size_t size = std::min<std::uint64_t>(kChunk, part_size() - asked_of_part_);
  const auto into = room(stream, size);
  asked_of_part_ += size;
  asked_ += size;
  ++under_way_;
  return into;
}

void Arrival::came(std::span<const std::byte> chunk, Seconds now) {
  --under_way_;
  here_ += chunk.size();
  if (!first_) {
    first_ = {chunk.size(), now};
  } else {
    // How long the first one was on its way nobody knows: as long as others of its size.
    const auto others = static_cast<double>(here_ - first_->size);
    received_.took = (now - first_->at) * (static_cast<double>(here_) / others);
    received_.began = now - received_.took;
  }
  begun_ = begun_ || chunk.data() == received_.head.data();
}

std::optional<MessageKind> Arrival::kind() const {
  constexpr std::size_t kKind = sizeof(double) + sizeof(std::uint64_t);  // behind what head_of() puts before it
  if (!begun_ || received_.head.size() <= kKind) return std::nullopt;
  return static_cast<MessageKind>(received_.head[kKind]);
}

std::span<std::byte> Arrival::room(std::size_t stream, std::size_t size) {
  if (part_ == 0) return std::span(received_.head).subspan(asked_of_part_, size);
  if (part_ <= announce_.arrays.size()) return received_.arrays.back().extend(size);
  return std::span(padding_).subspan(kChunk * stream, size);
}

}  // namespace dipaco
