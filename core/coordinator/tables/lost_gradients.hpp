#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/base/ids.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// What a committed task gave to a module, and its executor lacks.
struct LostGradient {
  TaskId task;
  ModuleId module;
  friend bool operator==(const LostGradient&, const LostGradient&) = default;
};

/// Gradients that executors lack, and who has made which again. Of a path those of one task. Pure logic: no messages.
class LostGradients {
 public:
  /// The module's owner at this epoch lacks it, also where it was made again before.
  void lacking(const LostGradient& gradient, Epoch owner);
  /// A worker has sent them to owners as it knew them. To an earlier owner than the one that lacks it counts for
  /// nothing; a later one says what it lacks.
  void made(NodeId worker, const GradientsMade& message);
  /// It is settled, or is not wanted any more.
  void forget(const LostGradient& gradient) { lost_.erase({gradient.task.path, gradient.module}); }
  /// To which modules what the task gave is to be made again. @returns ascending; empty where to none
  std::vector<ModuleId> to_make(const TaskId& task) const;
  /// What this worker has made, and may not have delivered.
  std::vector<LostGradient> made_by(NodeId worker) const;
  std::vector<LostGradient> all() const;

 private:
  struct Lost {
    OuterStep outer_step{};
    Epoch owner = 0;
    NodeId maker{-1};  ///< who has sent it; -1: nobody
  };
  std::map<std::pair<PathId, ModuleId>, Lost> lost_;
};

}  // namespace dipaco
