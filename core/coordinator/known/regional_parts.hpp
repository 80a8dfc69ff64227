#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "core/coordinator/known/run_state.hpp"

namespace dipaco {

/// Regional parts and global parts (docs/decisions/0037): tells executors who owns global parts, has each regional part
/// give its last difference, and knows which versions must be kept until what they have has arrived. Where there are no
/// regions, it does nothing.
class RegionalParts {
 public:
  explicit RegionalParts(RunState& run);

  /// Tells executors who owns global parts.
  void tell_owners();
  /// The executor says hello: it is told all again.
  void executor_up(NodeId executor);
  /// Notes that a version of the module is out.
  void note(ModuleId module);
  /// The versions of a part that may be sent again: with a difference, or for an answer to one.
  std::set<Version> may_be_sent(ModuleId module) const;
  /// Has each regional part to which all paths have given give its last difference.
  void end();
  /// Whether all differences are in their global parts, the last ones too. REQUIRES that all paths are done.
  bool merged() const;

 private:
  struct Noted {
    std::int32_t merged = -1;  ///< merge point
    Version version{};
  };

  std::int32_t merge_point(ModuleId part) const;
  bool has_difference(ModuleId part) const;
  bool ended(ModuleId part) const;

  RunState& run_;
  std::map<ModuleId, Noted> cut_;       ///< of regional parts: the first version known with the difference
  std::map<ModuleId, Noted> answered_;  ///< of their global parts: the first version known that has it
  std::map<ModuleId, Owner> told_;      ///< that a regional part is to give its last difference
};

/// The versions of the path's modules that are its result: in place of regional parts their global ones.
Base result_of(const RunState& run, PathId path);
/// The owners of these.
std::vector<Owner> result_owners(const RunState& run, PathId path);

}  // namespace dipaco
