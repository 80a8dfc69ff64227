#include "backends/sim/intake.hpp"

#include <simgrid/s4u.hpp>

namespace dipaco {

std::optional<Incoming> IntakeTransport::receive(Seconds timeout) {
  auto incoming = inner_.receive(timeout);
  const auto* const envelope = incoming ? std::get_if<Envelope>(&*incoming) : nullptr;
  if (envelope == nullptr || envelope->from == self()) return incoming;
  simgrid::s4u::this_actor::sleep_for(static_cast<double>(envelope->message.wire_size.value) / rate_.value);
  hold_();
  return incoming;
}

}  // namespace dipaco
