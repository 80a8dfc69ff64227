#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/plan/plan.hpp"
#include "core/state/retention.hpp"
#include "core/storage/storage.hpp"
#include "core/transport/module_messages.hpp"

namespace dipaco {

/// One version of a module, with what made it: parameters [n] and velocity.
struct ModuleState {
  Version version{};
  Update update;
  std::vector<SettledPath> settled;  ///< of the paths through it
  Values parameters;
  Values velocity;
};

/// Versions of modules in a node's storage, under "modules/LEVEL.EXPERT/NUMBER", without rounds ".OWNER" behind it: an
/// executor's own, a store's copies.
/// Keeps the newest of each module, and those that evaluations need; without rounds those, too, that tasks began with;
/// where outer gradients are dropped those that a path may begin with yet (docs/decisions/0033).
/// Where gradients are exchanged in rounds, also those that a path's last task began with: its gradient may have to be
/// made again from them (docs/decisions/0020).
class ModuleFiles {
 public:
  /// Finds what is there.
  ModuleFiles(const RunPlan& plan, Storage& storage);

  void keep(ModuleId module, const ModuleState& state);
  /// REQUIRES that it is there. @throws DataError where it is damaged
  ModuleState read(ModuleId module, Version version) const;
  /// The parameters that a task began with: of version 0 those of the prepared start. @throws DataError where they are
  /// not kept
  Values parameters(ModuleId module, Version version) const;
  bool has(ModuleId module, Version version) const;
  /// Ascending.
  std::vector<Version> versions(ModuleId module) const;
  /// The newest of each module, without rounds all, with epoch 0.
  std::vector<HeldModule> held() const;
  void release(const Released& released);
  /// What open tasks began with. An older word changes nothing.
  void keep_only(const KeepVersions& bases);

 private:
  void forget_old(ModuleId module);
  bool keeps(ModuleId module, Version version) const;
  bool may_begin_again(ModuleId module, Version version) const;
  bool is_awaited(ModuleId module, Version version) const;
  const RunPlan& plan_;
  Storage& storage_;
  std::map<ModuleId, std::map<Version, std::string>> files_;  ///< keys by version
  Retention retention_;
  std::map<ModuleId, KeepVersions> bases_;  ///< the newest word
};

}  // namespace dipaco
