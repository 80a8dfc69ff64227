#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// The paths that could begin their next task and wait for others, so that they begin with the same versions: until a
/// grace period after the first of them could (2401.09135, Alg. 2: tau_sync and tau_grace). Pure logic.
class RestingPaths {
 public:
  /// @param grace  0: no path rests
  explicit RestingPaths(Seconds grace) : grace_(grace) {}

  bool any_may() const { return grace_ > Seconds(0); }
  bool contains(PathId path) const { return paths_.contains(path); }
  /// The path rests from now on. REQUIRES any_may()
  void add(PathId path, Seconds now);
  /// It rests no more. Nothing happens where it does not.
  void remove(PathId path) { paths_.erase(path); }
  /// When those that rest begin at the latest; nullopt: none rests.
  std::optional<Seconds> over_at() const;
  /// Those that begin now, by number, which rest no more: all once the grace period is over, or where these are all
  /// the paths that have a next task, so that nobody else can come.
  /// @param left  paths that have a next task
  std::vector<PathId> begin(Seconds now, std::size_t left);

 private:
  Seconds grace_;
  Seconds since_{};  ///< of the first of them
  std::set<PathId> paths_;
};

}  // namespace dipaco
