#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/events/events.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

// Messages of a preflight (core/preflight), which measures the network between the processes of a run before it.

/// Any node to the coordinator: it is there, and what it will be in the run.
struct Attend {
  std::vector<Role> roles;
  std::string site;
  std::string machine;
  std::string address;   ///< where the others reach it
  double step_time = 0;  ///< seconds of an inner step there; 0: not said
  template <class A>
  void fields(A& a) {
    a(roles, site, machine, address, step_time);
  }
};

/// Coordinator to a node: send probes to that node, one after the other, and say how long they took.
struct MeasureLink {
  std::uint32_t number = 0;  ///< of the measurement
  NodeId to{};
  std::uint32_t times = 0;
  std::uint64_t floats = 0;  ///< that each probe is charged for
  template <class A>
  void fields(A& a) {
    a(number, to, times, floats);
  }
};

/// Node to node.
struct Probe {
  std::uint32_t number = 0;
  Values filler;  ///< none, only charged for
  template <class A>
  void fields(A& a) {
    a(number, filler);
  }
};

/// Its answer, once all of it is there.
struct ProbeArrived {
  std::uint32_t number = 0;
  template <class A>
  void fields(A& a) {
    a(number);
  }
};

/// The answer to MeasureLink.
struct LinkMeasured {
  std::uint32_t number = 0;
  bool reached = false;  ///< the other node could be sent to
  double seconds = 0;    ///< from a probe to its answer, at least
  template <class A>
  void fields(A& a) {
    a(number, reached, seconds);
  }
};

}  // namespace dipaco
