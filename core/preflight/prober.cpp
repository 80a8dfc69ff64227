#include "core/preflight/prober.hpp"

namespace dipaco {

void Prober::take(const Envelope& envelope) {
  const Body& body = envelope.message.body;
  if (const auto* const order = std::get_if<MeasureLink>(&body)) {
    Measuring& measuring = measuring_[order->number] = {.order = *order, .asked_by = envelope.from};
    send_probe(measuring);
  } else if (const auto* const probe = std::get_if<Probe>(&body)) {
    transport_.send(envelope.from, make_message(ProbeArrived{probe->number}));
  } else if (const auto* const answer = std::get_if<ProbeArrived>(&body)) {
    arrived(answer->number);
  }
}

void Prober::send_probe(Measuring& measuring) {
  const Message probe = make_message(Probe{measuring.order.number, {nullptr, measuring.order.floats}});
  measuring.sent = clock_.now();
  transport_.send(measuring.order.to, probe);
}

void Prober::arrived(std::uint32_t number) {
  const auto found = measuring_.find(number);
  if (found == measuring_.end()) return;
  Measuring& measuring = found->second;
  const Seconds took = clock_.now() - measuring.sent;
  if (measuring.shortest < Seconds(0) || took < measuring.shortest) measuring.shortest = took;
  if (measuring.order.times > 1) {
    --measuring.order.times;
    return send_probe(measuring);
  }
  transport_.send(measuring.asked_by, make_message(LinkMeasured{number, true, measuring.shortest.count()}));
  measuring_.erase(found);
}

void Prober::lost(NodeId node) {
  for (auto at = measuring_.begin(); at != measuring_.end();) {
    const auto& [number, measuring] = *at;
    if (measuring.order.to == node) {
      transport_.send(measuring.asked_by, make_message(LinkMeasured{number, false, 0}));
      at = measuring_.erase(at);
    } else {
      ++at;
    }
  }
}

}  // namespace dipaco
