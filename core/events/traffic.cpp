#include "core/events/traffic.hpp"

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

void Traffic::count(MessageKind kind, Bytes size, SiteId from, SiteId to) {
  ++messages;
  (from == to ? lan : wan) += size;
  by_kind[static_cast<std::size_t>(kind)] += size;
  ++messages_by_kind[static_cast<std::size_t>(kind)];
  by_sites[{from, to}] += size;
}

Traffic& Traffic::operator+=(const Traffic& other) {
  messages += other.messages;
  wan += other.wan;
  lan += other.lan;
  for (std::size_t kind = 0; kind < kMessageKinds; ++kind) {
    by_kind[kind] += other.by_kind[kind];
    messages_by_kind[kind] += other.messages_by_kind[kind];
  }
  for (const auto& [sites, bytes] : other.by_sites) by_sites[sites] += bytes;
  return *this;
}

}  // namespace dipaco
