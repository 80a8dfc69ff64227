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

/// One version of a module: parameters and velocity [n each].
struct ModuleState {
  std::int32_t version = 0;
  Epoch epoch = 0;  ///< of the ownership under which it was stepped
  double norm = 0;  ///< of the outer gradient that made it
  Values parameters;
  Values velocity;
};

/// Versions of modules in a node's storage, under "modules/LEVEL.EXPERT/VERSION": an executor's own, a store's copies.
/// Keeps the newest of each module, and those that evaluations need.
class ModuleFiles {
 public:
  /// Finds what is there.
  ModuleFiles(const RunPlan& plan, Storage& storage);

  void keep(ModuleId module, const ModuleState& state);
  /// REQUIRES that it is there. @throws DataError where it is damaged
  ModuleState read(ModuleId module, std::int32_t version) const;
  bool has(ModuleId module, std::int32_t version) const;
  /// Ascending.
  std::vector<std::int32_t> versions(ModuleId module) const;
  /// The newest of each module, with epoch 0.
  std::vector<HeldModule> held() const;
  void release(const Released& released);

 private:
  void forget_old(ModuleId module);
  const RunPlan& plan_;
  Storage& storage_;
  std::map<ModuleId, std::map<std::int32_t, std::string>> files_;  ///< keys by version
  Retention retention_;
};

}  // namespace dipaco
