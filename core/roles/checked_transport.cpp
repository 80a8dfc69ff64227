#include "core/roles/checked_transport.hpp"

#include <algorithm>

#include "core/roles/message_check.hpp"

namespace dipaco {

std::optional<Incoming> CheckedTransport::receive(Seconds timeout) {
  const bool for_ever = timeout < Seconds(0);
  const Seconds until = clock_.now() + timeout;
  Seconds left = timeout;
  for (;;) {
    auto incoming = inner_.receive(left);
    if (!incoming || !refused(*incoming)) return incoming;
    if (!for_ever) left = std::max(until - clock_.now(), Seconds(0));
  }
}

bool CheckedTransport::refused(const Incoming& incoming) {
  const auto* const envelope = std::get_if<Envelope>(&incoming);
  if (envelope == nullptr || exists_in(plan_, envelope->message)) return false;
  log_.record({.time = clock_.now(),
               .kind = EventKind::message_refused,
               .detail = static_cast<std::uint8_t>(envelope->message.kind()),
               .node = self(),
               .peer = envelope->from});
  return true;
}

}  // namespace dipaco
