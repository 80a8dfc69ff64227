#pragma once

#include <functional>
#include <optional>

#include "core/compute/compute.hpp"
#include "core/events/events.hpp"
#include "core/events/traffic.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// Counts what one node sends and how long large messages took to come to it, and records what it receives of the
/// recorded kinds (MessageRow::recorded) as `transfer` events: the same on every backend. Borrows what it is given.
class MeteredTransport : public Transport {
 public:
  /// @param site_of  where a node is; called for self, every receiver and every sender
  MeteredTransport(Transport& inner, const Compute& clock, EventLog& log, Traffic& traffic,
                   std::function<SiteId(NodeId)> site_of);
  NodeId self() const override { return inner_.self(); }
  std::int32_t incarnation() const override { return inner_.incarnation(); }
  InMotion in_motion() const override { return inner_.in_motion(); }
  void send(NodeId to, Message message) override;
  std::optional<Incoming> receive(Seconds timeout) override;

 private:
  Transport& inner_;
  const Compute& clock_;
  EventLog& log_;
  Traffic& traffic_;
  std::function<SiteId(NodeId)> site_of_;
};

}  // namespace dipaco
