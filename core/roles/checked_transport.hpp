#pragma once

#include <optional>

#include "core/compute/compute.hpp"
#include "core/events/events.hpp"
#include "core/plan/plan.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// Drops what comes to one node and names what does not exist in its run (message_check.hpp), with a `message_refused`
/// event for each: the same on every backend, and below all else that looks into messages.
class CheckedTransport : public Transport {
 public:
  CheckedTransport(Transport& inner, const RunPlan& plan, const Compute& clock, EventLog& log)
      : inner_(inner), plan_(plan), clock_(clock), log_(log) {}
  NodeId self() const override { return inner_.self(); }
  std::int32_t incarnation() const override { return inner_.incarnation(); }
  InMotion in_motion() const override { return inner_.in_motion(); }
  void send(NodeId to, Message message) override { inner_.send(to, std::move(message)); }
  std::optional<Incoming> receive(Seconds timeout) override;

 private:
  bool refused(const Incoming& incoming);

  Transport& inner_;
  const RunPlan& plan_;
  const Compute& clock_;
  EventLog& log_;
};

}  // namespace dipaco
