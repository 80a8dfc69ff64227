#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "core/base/ids.hpp"

namespace dipaco {

/// Which stores that are there have which states of which paths. Pure logic.
class StateHolders {
 public:
  void add(PathId path, std::int32_t version, std::int32_t inner_steps, NodeId store) {
    states_[path][{version, inner_steps}].insert(store);
  }
  void gone(NodeId store) {
    for (auto& [path, states] : states_) {
      for (auto& [place, stores] : states) stores.erase(store);
    }
  }
  /// Forgets what lies before `version`, but for versions that `keep` names.
  template <class Keep>
  void drop_below(PathId path, std::int32_t version, Keep keep) {
    std::erase_if(states_[path],
                  [&](const auto& state) { return state.first.first < version && !keep(state.first.first); });
  }
  /// Empty where nobody has it.
  const std::set<NodeId>& of(PathId path, std::int32_t version, std::int32_t inner_steps = 0) const {
    static const std::set<NodeId> kNobody;
    const auto states = states_.find(path);
    if (states == states_.end()) return kNobody;
    const auto found = states->second.find({version, inner_steps});
    return found == states->second.end() ? kNobody : found->second;
  }

 private:
  std::map<PathId, std::map<std::pair<std::int32_t, std::int32_t>, std::set<NodeId>>> states_;
};

}  // namespace dipaco
