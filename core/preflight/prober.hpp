#pragma once

#include <cstdint>
#include <map>

#include "core/compute/compute.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// What every process of a preflight does: sends probes where it is told to, and answers those of others.
class Prober {
 public:
  Prober(Transport& transport, const Compute& clock) : transport_(transport), clock_(clock) {}

  /// Takes a message that is for it; the others are left alone.
  void take(const Envelope& envelope);
  /// The measurements of the way to this node end.
  void lost(NodeId node);

 private:
  struct Measuring {
    MeasureLink order;
    NodeId asked_by{};
    Seconds sent{};
    Seconds shortest{-1};  ///< below 0: none has come back
  };
  void send_probe(Measuring& measuring);
  void arrived(std::uint32_t number);

  Transport& transport_;
  const Compute& clock_;
  std::map<std::uint32_t, Measuring> measuring_;  ///< by number
};

}  // namespace dipaco
