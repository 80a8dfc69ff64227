#include "core/transport/metered.hpp"

#include <algorithm>
#include <utility>

namespace dipaco {
namespace {

/// A message with values is worth an event of its own; the small ones are only counted.
bool has_values(MessageKind kind) {
  switch (kind) {
    case MessageKind::module:
    case MessageKind::path_state:
    case MessageKind::put_path_state:
    case MessageKind::outer_gradient:
    case MessageKind::path_module:
    case MessageKind::put_module:
    case MessageKind::module_copy:
      return true;
    default:
      return false;
  }
}

PathId path_of(const Message& message) {
  if (const auto* state = std::get_if<PathState>(&message.body)) return state->state.path;
  if (const auto* put = std::get_if<PutPathState>(&message.body)) return put->state.path;
  if (const auto* gradient = std::get_if<OuterGradient>(&message.body)) return gradient->task.path;
  if (const auto* module = std::get_if<PathModule>(&message.body)) return module->path;
  return PathId{-1};
}

ModuleId module_of(const Message& message) {
  if (const auto* values = std::get_if<ModuleValues>(&message.body)) return values->module;
  if (const auto* gradient = std::get_if<OuterGradient>(&message.body)) return gradient->module;
  if (const auto* module = std::get_if<PathModule>(&message.body)) return module->module;
  if (const auto* put = std::get_if<PutModule>(&message.body)) return put->module;
  if (const auto* copy = std::get_if<ModuleCopy>(&message.body)) return copy->module;
  return {-1, -1};
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
  if (const auto* envelope = std::get_if<Envelope>(&*incoming);
      envelope != nullptr && has_values(envelope->message.kind())) {
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
