#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/model/options.hpp"

namespace dipaco {

/// The parts of the architecture that one level holds: parameter indices B_l of the paper (§2.2).
struct Level {
  std::vector<std::int64_t> blocks;  ///< ascending
  bool embedding = false;            ///< the embedding and its tied head
  bool final_norm = false;
  std::int32_t experts = 1;  ///< K_l
};

/// Which modules each path goes through: a table [P, L] of experts. Product, flat MoE (one level), DiLoCo (one
/// expert a level) and path-specific modules are ways to fill the table, not modes (§2.2, §2.6).
/// Immutable once made; every module is used by at least one path, but for global parts.
///
/// With regions (docs/decisions/0037) paths are dealt to them in blocks, and a module that paths of several regions
/// share becomes a regional part for each of these, which its paths go through, and a global part, which no path goes
/// through. The global part has the module's own number; regional parts are numbered behind a level's experts.
class Topology {
 public:
  /// `table` [P, L], row-major: the expert of each path at each level. @throws ConfigError where an expert is out of
  /// range or used by no path, or there are several regions and no module that several share; std::logic_error unless
  /// the table is [P, L] with P, L > 0, and there are 1 to P regions.
  Topology(std::vector<Level> levels, std::vector<std::int32_t> table, std::int32_t regions = 1);

  std::int32_t paths() const { return static_cast<std::int32_t>(table_.size() / levels_.size()); }
  std::int32_t levels() const { return static_cast<std::int32_t>(levels_.size()); }
  /// REQUIRES of this and the next two that level, path and module are of this topology.
  const Level& level(std::int32_t l) const { return levels_[static_cast<std::size_t>(l)]; }
  ModuleId module(PathId path, std::int32_t level) const;
  /// The paths through a module, ascending: P_le of them.
  const std::vector<PathId>& paths_through(ModuleId module) const;
  /// All modules, by level and then expert.
  const std::vector<ModuleId>& modules() const { return modules_; }
  /// A module that one path alone uses is stepped where that path is, and never sent (§2.6.1).
  bool path_specific(ModuleId module) const { return paths_through(module).size() == 1 && !is_regional(module); }

  std::int32_t regions() const { return regions_; }
  std::int32_t region_of(PathId path) const;
  /// The global part of a regional one; of any other module itself.
  ModuleId whole(ModuleId module) const { return whole_[position(module)]; }
  /// Of a global part, by region; empty for any other module.
  const std::vector<ModuleId>& regional_parts(ModuleId module) const { return regional_parts_[position(module)]; }
  bool is_regional(ModuleId module) const { return whole(module) != module; }
  bool is_global(ModuleId module) const { return !regional_parts(module).empty(); }
  /// Of a regional part.
  std::int32_t region_of(ModuleId module) const { return region_of(paths_through(module).front()); }

 private:
  std::size_t position(ModuleId module) const;
  void number_modules();
  void split_by_region();

  std::vector<Level> levels_;
  std::vector<std::int32_t> table_;
  std::vector<ModuleId> modules_;
  std::vector<std::size_t> first_module_;  ///< of each level, in modules_
  std::vector<std::vector<PathId>> paths_through_;
  std::int32_t regions_;
  std::vector<ModuleId> whole_;                        ///< of each module
  std::vector<std::vector<ModuleId>> regional_parts_;  ///< of each module
};

/// Fills the table from [topology]. Blocks are split over the levels consecutively, a remainder to the first levels.
/// Choice: the embedding with its tied head and the final norm belong to the last level. Path-specific parts leave
/// their level for one more level with as many experts as paths; a level that has no part left is left out.
/// @param folder  where a table file is looked for: one line a path, one expert a level, separated by spaces; a line
///                that starts with # is a comment.
/// @throws ConfigError for anything that does not fit `model`, more than 65,536 paths, and a table file with rows of
///         different lengths or an expert that no path goes through; DataError for an unreadable table file.
Topology make_topology(const TopologyOptions& options, const ModelOptions& model, const std::filesystem::path& folder);

/// K_l of a topology whose paths are all combinations of one expert of each level, the last level's changing fastest;
/// of flat:P and shared:P one level of P. Empty for any other text, which names a table file: whether there is one is
/// not checked. Path-specific parts are no level here.
/// @throws ConfigError where a number in it is no count from 1 to 65,536
std::vector<std::int32_t> grid_of(const TopologyOptions& options);

}  // namespace dipaco
