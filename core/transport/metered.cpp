#include "core/transport/metered.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace dipaco {
namespace {

/// Whose values a message carries, as far as it says that: a member `state`, `task` or `path`.
PathId path_of(const Message& message) {
  return std::visit(
      [](const auto& body) {
        if constexpr (requires { PathId{body.state.path}; }) {
          return body.state.path;
        } else if constexpr (requires { PathId{body.task.path}; }) {
          return body.task.path;
        } else if constexpr (requires { PathId{body.path}; }) {
          return body.path;
        } else {
          return PathId{-1};
        }
      },
      message.body);
}

ModuleId module_of(const Message& message) {
  return std::visit(
      [](const auto& body) {
        if constexpr (requires { ModuleId{body.module}; }) {
          return body.module;
        } else {
          return ModuleId{-1, -1};
        }
      },
      message.body);
}

}  // namespace

MeteredTransport::MeteredTransport(Transport& inner, const Compute& clock, EventLog& log, Traffic& traffic,
                                   std::function<SiteId(NodeId)> site_of)
    : inner_(inner), clock_(clock), log_(log), traffic_(traffic), site_of_(std::move(site_of)) {}

void MeteredTransport::send(NodeId to, Message message) {
  traffic_.count(message.kind(), message.wire_size, site_of_(self()), site_of_(to));
  inner_.send(to, std::move(message));
}

std::optional<Incoming> MeteredTransport::receive(Seconds timeout) {
  auto incoming = inner_.receive(timeout);
  if (!incoming) return incoming;
  const auto* envelope = std::get_if<Envelope>(&*incoming);
  if (envelope != nullptr && envelope->took > Seconds(0)) {
    traffic_.by_sites[{site_of_(envelope->from), site_of_(self())}].arrived(envelope->message.wire_size, envelope->took,
                                                                            envelope->waited);
  }
  if (envelope != nullptr && row_of(envelope->message.kind()).recorded) {
    const Seconds now = clock_.now();
    log_.record({.time = now,
                 .kind = EventKind::transfer,
                 .detail = static_cast<std::uint8_t>(envelope->message.kind()),
                 .node = self(),
                 .peer = envelope->from,
                 .path = path_of(envelope->message),
                 .module = module_of(envelope->message),
                 .begin = std::min(envelope->sent, now),  // by a clock that may be some milliseconds ahead
                 .bytes = envelope->message.wire_size.value});
  }
  return incoming;
}

}  // namespace dipaco
