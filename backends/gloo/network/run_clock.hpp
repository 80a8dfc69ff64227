#pragma once

#include <atomic>

#include "backends/gloo/links/connection.hpp"

namespace dipaco {

/// The run's clock: the machine's steady one, moved so that all nodes read about the same. From any thread.
class RunClock {
 public:
  Seconds now() const { return steady() + Seconds(offset_); }
  /// @param offset  the run's clock less the machine's steady one
  void set(Seconds offset) { offset_ = offset.count(); }

 private:
  std::atomic<double> offset_{0};
};

}  // namespace dipaco
