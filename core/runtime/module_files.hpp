#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/ids.hpp"
#include "core/runtime/plan.hpp"
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
/// Keeps the newest of each module, and those that an evaluation may still ask for.
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
  /// Versions up to this one are not kept for evaluations any more.
  void release(std::int32_t version);

 private:
  void forget_old(ModuleId module);
  bool pinned(std::int32_t version) const;

  const RunPlan& plan_;
  Storage& storage_;
  std::map<ModuleId, std::map<std::int32_t, std::string>> files_;  ///< keys by version
  std::int32_t released_ = 0;
};

/// Whether an evaluation at `version` takes place before the run's end (evaluate.every).
bool evaluated_at(const RunPlan& plan, std::int32_t version);

}  // namespace dipaco
