#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// The module versions that a worker or evaluator has, and whom it asks for them: their owners, or its site's cache.
/// Pushed ones come unasked: an executor sends a new version to whoever sent it an outer gradient for it. A push is a
/// hint; what does not come is asked for.
class ModuleCache {
 public:
  ModuleCache(const RunPlan& plan, Transport& transport) : plan_(plan), transport_(transport) {}

  /// Takes a version that came, pushed or asked for; not from an owner that is none any more. Where another one was
  /// wanted, which might have been it, that is asked for now.
  void arrived(const ModuleValues& values);
  /// Who owns which module now. What was asked of an earlier owner is asked again by the next request().
  void note(const std::vector<Owner>& owners);
  /// From now on owners elsewhere are asked through this.
  void note(const SiteCache& cache) { cache_ = cache; }
  /// What was asked of this node will not come; nor is it asked for anything, if it is the site's cache.
  void lost(NodeId node);
  /// What was asked for through the site's cache will not come.
  void failed(const FetchFailed& fetch);
  /// The site's cache has lost the module's owner, which is asked directly until there is word of a cache again: this
  /// node may reach it.
  void pass_by_cache(ModuleId module) { cache_.near.push_back(owner(module).executor); }
  /// Whether the module's owner pushes its next version to who sends it an outer gradient. Not where the site's cache
  /// will be asked for it: owners know of no sites.
  bool is_pushed(ModuleId module) const;
  /// Who gets outer gradients of the module: its owner, or the site's cache, which adds several.
  NodeId gradients_to(ModuleId module) const;
  /// This version will come, as an outer gradient for it was sent: pushed, without rounds it or a later one, or else it
  /// is asked for now.
  void expect(ModuleId module, Version version);
  /// Asks for what is lacking of `base` and is not on its way.
  /// @param evaluates  no task waits for it
  void request(const Base& base, bool evaluates = false);
  /// Whether something that is lacking is not on its way: its owner is not known, or was lost.
  bool unasked(const Base& base) const;
  bool complete(const Base& base) const;
  /// REQUIRES that it is there.
  const Values& get(ModuleId module, Version version) const;
  /// The owner of a shared module, as far as is known: executor -1 where nobody is.
  Owner owner(ModuleId module) const;
  /// Forgets versions that no later task names: those before the base's, and of other modules, where versions are outer
  /// steps, those before `outer_step`; without rounds all.
  void drop_before(const Base& base, OuterStep outer_step);

 private:
  bool has(const BaseVersion& part) const { return entries_.contains({part.module, part.version}); }
  /// What is on its way, asked for or pushed.
  struct Coming {
    NodeId from{};
    Version version{};
    bool or_later = false;
    bool may_be(Version wanted) const { return or_later ? version <= wanted : version == wanted; }
  };
  bool comes(const BaseVersion& part) const;
  NodeId source(const Owner& owner) const;
  void ask(const Owner& owner, Version version, bool evaluates);

  const RunPlan& plan_;
  Transport& transport_;
  std::map<std::pair<ModuleId, Version>, Values> entries_;  ///< by module and version
  std::map<ModuleId, Owner> owners_;
  std::map<ModuleId, Coming> coming_;
  std::map<ModuleId, std::pair<Version, bool>> put_off_;  ///< not asked for, as what comes may be it; and `evaluates`
  SiteCache cache_;
};

}  // namespace dipaco
