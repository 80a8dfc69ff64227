#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/base/ids.hpp"

namespace dipaco {

/// Which executor should own a module that has no owner: at first, the one that owns least.
struct OwnerChoice {
  std::set<NodeId> preferred{};  ///< executors that go first, if any of them is there; empty: all
  /// How many paths at each site go through a module. Of those executors that own less than their part, that at the
  /// site with the most of them gets it; of such sites, that which owns least.
  std::map<ModuleId, std::map<SiteId, std::int64_t>> near{};
  std::function<SiteId(NodeId)> site_of{};  ///< of an executor; asked where `near` is not empty

  bool prefers(NodeId executor) const { return preferred.contains(executor); }
  /// Whether the owner is none that goes first, although one of those is there.
  /// @param there  executors, with their machines
  bool stands_in(NodeId owner, const std::map<NodeId, std::string>& there) const {
    return owner != NodeId{-1} && !prefers(owner) &&
           std::ranges::any_of(there, [this](const auto& executor) { return prefers(executor.first); });
  }
  /// @param loads  floats that each executor owns that may get the module. REQUIRES one at least
  /// @param part   of each of them, of all modules
  NodeId best(ModuleId module, const std::map<NodeId, std::uint64_t>& loads, std::uint64_t part) const;
};

}  // namespace dipaco
