#pragma once

#include <functional>
#include <simgrid/s4u.hpp>
#include <vector>

#include "backends/sim/engine/alarms.hpp"
#include "backends/sim/network/transfer.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// What carries transfers over the network: SimGrid's communications, one a transfer, started and ended in its kernel.
/// Each is kept for as long as SimGrid may look at it. Once a process: SimGrid's callbacks cannot be taken back.
class Flows {
 public:
  /// @param ended  called with a transfer whose flow is over, and whether all of it is there: false where a link on its
  ///               way went off
  Flows(Alarms& alarms, Seconds limit, std::function<void(Transfer& transfer, bool there)> ended);
  Flows(const Flows&) = delete;
  Flows& operator=(const Flows&) = delete;
  ~Flows() = default;

  /// In the kernel. REQUIRES that the route is open: a flow that begins on a broken one would fail without a word.
  void start(Transfer& transfer);
  /// In the kernel. What was the flow of a transfer ends, without a call. Nothing where it is null.
  void cancel(simgrid::s4u::CommPtr flow);

 private:
  void over(const simgrid::s4u::Activity& activity);
  void forget(simgrid::s4u::CommPtr flow);
  void sweep_later();

  Alarms& alarms_;
  Seconds limit_;
  std::function<void(Transfer& transfer, bool there)> ended_;
  // SimGrid holds bare pointers to a flow through its callback, and to one that was cancelled until it has handled
  // that: such a flow is kept for one sweep more.
  simgrid::s4u::CommPtr last_;
  std::vector<simgrid::s4u::CommPtr> forgotten_;
  std::vector<simgrid::s4u::CommPtr> long_forgotten_;
  bool sweeping_ = false;
};

}  // namespace dipaco
