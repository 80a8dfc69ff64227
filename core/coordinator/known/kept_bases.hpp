#pragma once

#include <map>

#include "core/coordinator/known/regional_parts.hpp"
#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Without rounds, tells those who have a module which of its versions must be kept.
class KeptBases {
 public:
  explicit KeptBases(RunState& run) : run_(run) {}

  /// Those that tasks began with that are open, or whose contribution is not settled; and, of regional and global
  /// parts, those that may be sent again.
  void keep(ModuleId module, const RegionalParts& parts);
  /// The module's owner is told again.
  void forget(ModuleId module) { told_.erase(module); }

 private:
  bool begins_again(ModuleId module, PathId path) const;

  RunState& run_;
  std::map<ModuleId, KeepVersions> told_;  ///< last
};

}  // namespace dipaco
