#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/base/ids.hpp"
#include "core/model/topology.hpp"
#include "core/queue/path_table.hpp"

namespace dipaco {

/// How many contributors of each module nobody has yet, at one moment, in rounds. A module whose last contributors go
/// out first is stepped, and on its way to others, while the rest of the outer step computes. Pure logic.
class OpenContributors {
 public:
  /// @param topology, paths  must outlive this
  OpenContributors(const Topology& topology, const PathTable& paths) : topology_(topology), paths_(paths) {}

  /// Of each module of the path, the paths through it whose task of this path's outer step is not given out; ascending.
  /// [L], this path's own task among them.
  std::vector<std::int32_t> of(PathId path);

 private:
  std::int32_t of(ModuleId module, OuterStep outer_step);

  const Topology& topology_;
  const PathTable& paths_;
  std::map<std::pair<ModuleId, OuterStep>, std::int32_t> counted_;
};

}  // namespace dipaco
