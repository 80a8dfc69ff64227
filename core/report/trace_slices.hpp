#pragma once

#include <cstdint>
#include <vector>

#include "core/report/accounts/account.hpp"
#include "core/report/report.hpp"

namespace dipaco {

/// What a slice of trace.json shows. Those after `task` lie within one.
enum class SliceKind : std::uint8_t {
  task,
  gather,
  inner_steps,
  inner_steps_lost,
  store,
  evaluate,
  wait,
  down,
  transfer,
  module
};

/// Of the run's clock. Nothing lies before the first outer step.
std::int64_t nanoseconds(Seconds time);

/// A slice: begin..end in nanoseconds of the run's clock; of `module`, an instant.
struct Slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  SliceKind kind{};
  std::uint32_t node = 0;    ///< place in RunFacts::nodes
  std::uint32_t lane = 0;    ///< 0: the node's own track; from 1: its transfers
  std::uint32_t source = 0;  ///< place in Account::attempts, or of the event
};

/// The first slices of a run, by node, lane, begin, those around others first.
struct TraceSlices {
  std::vector<Slice> slices;
  std::int64_t left_out = 0;         ///< tasks, transfers and modules that begin later
  std::vector<std::uint32_t> lanes;  ///< [RunFacts::nodes] tracks for transfers
};
TraceSlices trace_slices(const RunFacts& facts, const std::vector<Event>& events, const Account& account,
                         std::int64_t limit);

}  // namespace dipaco
