#include "core/events/traffic.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace dipaco {
namespace {

constexpr bool in_order() {
  for (std::size_t k = 0; k < kMessageKinds; ++k) {
    if (kMessageTable[k].kind != static_cast<MessageKind>(k)) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const MessageRow& row_of(MessageKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  check(index < kMessageKinds, "a kind of message is in the table");
  return kMessageTable[index];
}

const char* name(MessageKind kind) { return row_of(kind).name; }

void SiteTraffic::arrived(Bytes size, Seconds took, Seconds waited_before) {
  ++came;
  came_bytes += size;
  moving += took;
  waited += waited_before;
  longest_wait = std::max(longest_wait, waited_before);
}

double SiteTraffic::rate() const {
  return moving > Seconds(0) ? static_cast<double>(came_bytes.value) / moving.count() : 0;
}

Seconds SiteTraffic::mean_wait() const { return came > 0 ? waited / static_cast<double>(came) : Seconds(0); }

SiteTraffic& SiteTraffic::operator+=(const SiteTraffic& other) {
  sent += other.sent;
  came += other.came;
  came_bytes += other.came_bytes;
  moving += other.moving;
  waited += other.waited;
  longest_wait = std::max(longest_wait, other.longest_wait);
  return *this;
}

void Traffic::count(MessageKind kind, Bytes size, SiteId from, SiteId to) {
  ++messages;
  (from == to ? lan : wan) += size;
  by_kind[static_cast<std::size_t>(kind)] += size;
  ++messages_by_kind[static_cast<std::size_t>(kind)];
  by_sites[{from, to}].sent += size;
}

Traffic& Traffic::operator+=(const Traffic& other) {
  messages += other.messages;
  wan += other.wan;
  lan += other.lan;
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    by_kind[kind] += other.by_kind[kind];
    messages_by_kind[kind] += other.messages_by_kind[kind];
  }
  for (const auto& [sites, crossed] : other.by_sites) by_sites[sites] += crossed;
  return *this;
}

}  // namespace dipaco
