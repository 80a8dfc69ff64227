#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// The module versions that a worker or evaluator has, and whom it asks for them. Pushed ones come unasked: an executor
/// sends a new version to whoever sent it an outer gradient for it. A push is a hint; what does not come is asked for.
class ModuleCache {
 public:
  ModuleCache(const RunPlan& plan, Transport& transport) : plan_(plan), transport_(transport) {}

  /// Takes a version that came, pushed or asked for; not from an owner that is none any more.
  void arrived(const ModuleValues& values);
  /// Who owns which module now. What was asked of an earlier owner is asked again by the next request().
  void note(const std::vector<Owner>& owners);
  /// What was asked of this node will not come.
  void lost(NodeId executor);
  /// This version will be pushed here, as an outer gradient for it was sent.
  void expect(ModuleId module, std::int32_t version);
  /// Asks for what is lacking of the path's shared modules at `version` and is not on its way.
  void request(PathId path, std::int32_t version);
  /// Forgets what was asked for or is expected, so that the next request() asks again.
  void forget_requests();
  /// Whether something that is lacking is not on its way: its owner is not known, or was lost.
  bool unasked(PathId path, std::int32_t version) const;
  bool complete(PathId path, std::int32_t version) const;
  /// REQUIRES that it is there.
  const Values& get(ModuleId module, std::int32_t version) const;
  /// The executor of a shared module, as far as is known.
  NodeId owner(ModuleId module) const;
  /// Forgets versions that no task at `version` or later names.
  void drop_below(std::int32_t version);

 private:
  bool has(ModuleId module, std::int32_t version) const { return entries_.contains({module, version}); }
  std::vector<ModuleId> lacking(PathId path, std::int32_t version) const;

  const RunPlan& plan_;
  Transport& transport_;
  std::map<std::pair<ModuleId, std::int32_t>, Values> entries_;  ///< by module and version
  std::map<ModuleId, Owner> owners_;
  std::map<ModuleId, std::int32_t> coming_;  ///< versions that were asked for or will be pushed
};

}  // namespace dipaco
