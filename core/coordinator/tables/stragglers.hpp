#pragma once

#include <cstdint>
#include <map>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// Workers whose inner steps take much longer than they should, from the first such task until one that is as fast as
/// it should be. Pure logic.
class Stragglers {
 public:
  /// What a worker's last task has measured.
  struct Measured {
    Seconds step{};          ///< of an inner step
    Seconds usual{};         ///< what that should be
    const char* whose = "";  ///< where that is known from, as it ends a sentence: "as long as ..."
    Seconds at{};            ///< when
  };
  enum class News : std::uint8_t { none, slow, recovered };

  /// @param factor  so many times as long as usual is slow. What was usual when the worker was named counts until it
  ///                has recovered
  News measured(NodeId worker, const Measured& task, double factor);
  void lost(NodeId worker) { all_.erase(worker); }
  /// By worker, since when it is slow, with its newest inner step.
  const std::map<NodeId, Measured>& all() const { return all_; }

 private:
  std::map<NodeId, Measured> all_;
};

}  // namespace dipaco
