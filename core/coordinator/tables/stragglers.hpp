#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// Workers whose inner steps take much longer than they should, from the first such task until one that is as fast as
/// it should be. Each time that a worker has recovered, twice as many tasks in a row must say otherwise before it is
/// named again, or has recovered again: what a short task measures may be chance. Pure logic.
class Stragglers {
 public:
  /// What a worker's last task has measured.
  struct Measured {
    Seconds step{};          ///< of an inner step
    Seconds usual{};         ///< what that should be
    Seconds at_worst{};      ///< what it takes at worst by chance
    const char* whose = "";  ///< where `usual` is known from, as it ends a sentence: "as long as ..."
    Seconds at{};            ///< when
  };
  enum class News : std::uint8_t { none, slow, recovered };

  /// @param factor  so many times as long as usual, and no less than at worst, is slow. What was usual when the worker
  ///                was named counts until it has recovered
  News measured(NodeId worker, const Measured& task, double factor);
  void lost(NodeId worker);
  /// By worker, since when it is slow, with its newest inner step.
  const std::map<NodeId, Measured>& all() const { return all_; }

 private:
  /// A worker's last tasks, as far as they say otherwise of it.
  struct Opposing {
    std::size_t in_a_row = 0;
    std::size_t needed = 1;  ///< to believe them
  };

  std::map<NodeId, Measured> all_;
  std::map<NodeId, Opposing> opposing_;
};

}  // namespace dipaco
