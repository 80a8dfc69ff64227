#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/base/ids.hpp"
#include "core/model/topology.hpp"
#include "core/outer/policies.hpp"
#include "core/queue/least_of.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// The shared modules as the coordinator knows them: which version is out, and up to where each path's contributions
/// are settled. Pure logic. A call takes as long however many modules and outer steps there are.
class ModuleVersions {
 public:
  /// Both must outlive this. Every `module` below is a shared one of the topology.
  ModuleVersions(const Topology& topology, const SyncPolicy& policy);

  /// What a journal says, in place of what was known.
  void restore(ModuleId module, Version version, const std::map<PathId, OuterStep>& settled);
  /// A version is out, and these contributions are settled. @returns whether any of that is news
  bool ready(ModuleId module, Version version, const std::vector<SettledPath>& settled);

  Version version(ModuleId module) const { return modules_.at(module).version; }
  /// The module's contributions of the path's outer steps before this one are settled.
  OuterStep settled(ModuleId module, PathId path) const { return modules_.at(module).settled_of(path); }
  /// Those of all paths that have one.
  const std::map<PathId, OuterStep>& settled(ModuleId module) const { return modules_.at(module).settled; }
  /// The newest versions of the path's shared modules, by level.
  Base newest(PathId path) const;
  /// The shared modules that keep a path from its next task.
  /// @param done  the path's newest state is that after the outer steps before this one
  std::vector<ModuleId> awaited(PathId path, OuterStep next_outer_step, OuterStep done) const;
  /// In rounds, the outer steps that all of them have done; nullopt without rounds, or where no module is shared.
  std::optional<std::int32_t> rounds_done() const;

 private:
  struct Entry {
    Version version{};
    std::map<PathId, OuterStep> settled;
    OuterStep settled_of(PathId path) const {
      const auto found = settled.find(path);
      return found == settled.end() ? OuterStep{0} : found->second;
    }
  };

  const Topology& topology_;
  const SyncPolicy& policy_;
  std::map<ModuleId, Entry> modules_;
  LeastOf<std::int32_t> versions_;
};

}  // namespace dipaco
