#pragma once

#include <cstdint>

#include "core/base/ids.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

// Messages between regional parts and global parts (docs/decisions/0037). See messages.hpp.

/// Executor to executor: what a regional part has moved by since its merge point, for its global part.
struct RegionDifference {
  ModuleId part;              ///< the regional one
  std::int32_t merged = 0;    ///< version of it that the merge point was made of: by which the difference is known
  std::int32_t base = 0;      ///< version of the global part that was merged last
  std::int32_t versions = 0;  ///< of the regional part since the merge point
  Epoch epoch = 0;            ///< of the owner of the global part
  GradientValues difference;
  template <class A>
  void fields(A& a) {
    a(part, merged, base, versions, epoch, difference);
  }
};

/// Executor to executor: that difference is in the global part, which is this now.
struct GlobalParameters {
  ModuleId part;            ///< the regional one
  std::int32_t merged = 0;  ///< as in the difference
  Version version{};        ///< of the global part
  Values parameters;
  template <class A>
  void fields(A& a) {
    a(part, merged, version, parameters);
  }
};

/// Coordinator to executor: no path gives to this regional part any more, and this is its last version. What it has
/// moved by since its merge point is to be given, too.
struct LastDifference {
  ModuleId part;
  Version version{};
  template <class A>
  void fields(A& a) {
    a(part, version);
  }
};

}  // namespace dipaco
