#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/runtime/plan.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// The module versions that a worker or evaluator has. Pushed ones come unasked: an executor sends a new version to
/// whoever sent it an outer gradient for it. A push is a hint; what does not come is asked for.
class ModuleCache {
 public:
  ModuleCache(const RunPlan& plan, Transport& transport) : plan_(plan), transport_(transport) {}

  /// Takes a version that came, pushed or asked for.
  void arrived(const ModuleValues& values);
  /// This version will be pushed here, as an outer gradient for it was sent.
  void expect(ModuleId module, std::int32_t version) { expected_[module] = version; }
  /// Asks for what is lacking of the path's shared modules at `version` and is not on its way.
  void request(PathId path, std::int32_t version, const std::vector<NodeId>& executors);
  /// Asks again for all that is still lacking.
  void request_again(PathId path, std::int32_t version, const std::vector<NodeId>& executors);
  bool complete(PathId path, std::int32_t version) const;
  /// REQUIRES that it is there.
  const Values& get(ModuleId module, std::int32_t version) const;
  /// Forgets versions that no task at `version` or later names.
  void drop_below(std::int32_t version);

 private:
  bool has(ModuleId module, std::int32_t version) const;
  template <class Wanted>
  void request_where(PathId path, std::int32_t version, const std::vector<NodeId>& executors, Wanted wanted);

  const RunPlan& plan_;
  Transport& transport_;
  std::map<std::pair<ModuleId, std::int32_t>, Values> entries_;  ///< by module and version
  std::map<ModuleId, std::int32_t> expected_;
};

}  // namespace dipaco
