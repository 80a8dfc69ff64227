#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// The paths that could begin their next task and wait for others, so that they begin with the same versions: until a
/// grace period after the first of them could (2401.09135, Alg. 2: tau_sync and tau_grace), or until nobody else can
/// come. Pure logic.
class RestingPaths {
 public:
  /// @param paths  of the run
  /// @param grace  0: no path rests
  RestingPaths(std::int32_t paths, Seconds grace) : all_(static_cast<std::size_t>(paths)), grace_(grace) {}

  bool any_may() const { return grace_ > Seconds(0); }
  bool contains(PathId path) const { return paths_.contains(path); }
  /// The path rests from now on. REQUIRES any_may()
  void add(PathId path, Seconds now);
  /// It rests no more, and never again: its last task has begun.
  void last_begins(PathId path);
  /// When those that rest begin at the latest; nullopt: none rests.
  std::optional<Seconds> over_at() const;
  /// Those that begin now, by number, which rest no more: all once the grace period is over, or where all others have
  /// begun their last task.
  std::vector<PathId> begin(Seconds now);

 private:
  std::size_t all_;
  Seconds grace_;
  Seconds since_{};  ///< of the first of them
  std::set<PathId> paths_;
  std::set<PathId> never_again_;
};

}  // namespace dipaco
