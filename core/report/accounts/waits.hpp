#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// What the time between two moments of a task went into.
enum class WaitStage : std::uint8_t {
  coordinate,  ///< from what a task waits for until it is queued
  queue,       ///< until a worker gets it
  lost,        ///< attempts that did not count
  fetch,       ///< from the worker's being free and having it until its inputs are there
  compute,     ///< inner steps
  commit,      ///< until the stores have acknowledged
  exchange,    ///< until a version of a module is out that the task's gradient is in
};
inline constexpr std::size_t kWaitStages = 7;
/// As in the output files.
const char* name(WaitStage stage);

/// Between which nodes the message went that came last of those that were waited for; -1: none came.
struct Way {
  NodeId from{-1};
  NodeId to{-1};
};

/// A stretch of the critical path.
struct CriticalStretch {
  WaitStage stage{};
  Seconds begin{};
  Seconds end{};
  NodeId node{-1};  ///< the worker; of `exchange` the executor; none of `coordinate`
  PathId path{-1};  ///< of the task
  OuterStep outer_step = kNoOuterStep;
  ModuleId module{-1, -1};  ///< of `exchange`
  Way way{};                ///< of `fetch`, `commit` and `exchange`
};

/// A version of a shared module, in rounds, and for whom it waited.
struct ModuleStep {
  ModuleId module{};
  OuterStep outer_step{};  ///< whose outer gradients it is made of
  Seconds stepped{};       ///< it is out
  PathId last_path{-1};    ///< whose task was committed last, and by whom
  NodeId last_worker{-1};
  Seconds behind{};          ///< the commit before that; 0 where there is none
  WaitStage stage{};         ///< in which the last task lost most against the one before
  Way way{};                 ///< of `fetch` and `commit`
  ModuleId awaited{-1, -1};  ///< of `coordinate`: whose version the last task had to wait for longer than the other
};

/// Who waited for whom. A run without rounds has neither: there nobody waits for all.
struct Waits {
  std::vector<CriticalStretch> critical_path;  ///< from 0 to the end of the run's last version, without gaps
  std::vector<ModuleStep> module_steps;        ///< by outer step and module
};

}  // namespace dipaco
