#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/base/ids.hpp"
#include "core/base/units.hpp"

namespace dipaco {

/// When an executor asks the run's policy again about modules for which nothing may come before.
class WakeTimes {
 public:
  /// In place of what was noted for the module. nullopt: it need not be asked.
  void note(ModuleId module, std::optional<Seconds> when);
  /// The modules whose time has come; they are noted no more.
  std::vector<ModuleId> take_ended(Seconds now);
  /// How long to wait for a message, from `now`, where without this it were `otherwise`. Below 0: for ever.
  Seconds patience(Seconds now, Seconds otherwise) const;

 private:
  std::map<ModuleId, Seconds> times_;  ///< of few: most modules wait for an arrival alone
};

}  // namespace dipaco
