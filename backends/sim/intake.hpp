#pragma once

#include <functional>

#include "core/transport/transport.hpp"

namespace dipaco {

/// A simulated node's transport whose messages cost it time: what it takes to decode, check, hash and add what has
/// come, at so many bytes a second. A node does one message at a time. Borrows `inner`.
class IntakeTransport : public Transport {
 public:
  /// @param hold  returns once the node is not frozen
  IntakeTransport(Transport& inner, BytesPerSecond rate, std::function<void()> hold)
      : inner_(inner), rate_(rate), hold_(std::move(hold)) {}
  NodeId self() const override { return inner_.self(); }
  std::int32_t incarnation() const override { return inner_.incarnation(); }
  InMotion in_motion() const override { return inner_.in_motion(); }
  void send(NodeId to, Message message) override { inner_.send(to, std::move(message)); }
  std::optional<Incoming> receive(Seconds timeout) override;

 private:
  Transport& inner_;
  BytesPerSecond rate_;
  std::function<void()> hold_;
};

}  // namespace dipaco
