#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "core/base/ids.hpp"
#include "core/transport/parts.hpp"
#include "core/transport/value_messages.hpp"

namespace dipaco {

/// Versions of modules, each as long as something of the order is still to be made with it.
class NeededVersions {
 public:
  using Key = std::pair<ModuleId, Version>;

  /// Once more. REQUIRES that it was not put yet.
  void need(const Key& key) { ++versions_[key].uses; }
  /// It is there now, if it is needed.
  void put(const Key& key, const Values& values) {
    if (const auto found = versions_.find(key); found != versions_.end()) found->second.values = values;
  }
  bool has(const Key& key) const {
    const auto found = versions_.find(key);
    return found != versions_.end() && found->second.values;
  }
  /// REQUIRES that it is there.
  const Values& get(const Key& key) const { return versions_.at(key).values.value(); }
  /// REQUIRES that it is needed.
  void used(const Key& key) {
    const auto found = versions_.find(key);
    if (--found->second.uses == 0) versions_.erase(found);
  }

 private:
  struct Needed {
    std::int64_t uses = 0;
    std::optional<Values> values;
  };
  std::map<Key, Needed> versions_;
};

}  // namespace dipaco
