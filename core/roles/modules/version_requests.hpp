#pragma once

#include <map>

#include "core/roles/modules/owned_module.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// Gives versions of an executor's modules to those who ask for one: at once, or once it is out.
class VersionRequests {
 public:
  using Modules = std::map<ModuleId, OwnedModule>;
  VersionRequests(Transport& transport, const ModuleFiles& files) : transport_(transport), files_(files) {}

  /// Sends the version, or notes who asks for it. A request of another epoch than the owner's is not answered: who asks
  /// hears of the newer one.
  void serve(Modules& modules, NodeId from, const FetchModule& fetch);
  /// Gives the newest version to who has sent this contribution late, after a step without it, and expects the version
  /// after its own: the one that its contribution will be in may be far. REQUIRES that the module is here.
  void serve_late(const RunPlan& plan, Modules& modules, NodeId from, const OuterGradient& given);
  /// The nodes expect versions of a module that is not this executor's, or not yet.
  void expect(ModuleId module, AwaitedVersions::Set expected) { early_[module].expected.merge(expected); }
  /// Who waits for versions of a module that begins here at this epoch. Who has asked the owner of a later one does not
  /// take this one's answer, and asks no more: it waits for that epoch.
  AwaitedVersions take(ModuleId module, Epoch epoch);
  /// The node waits for nothing any more: it asks again once it is there again.
  void lost(NodeId node);

 private:
  struct Early {
    std::map<Epoch, AwaitedVersions::Set> asked;  ///< by the epoch of who is asked
    AwaitedVersions::Set expected;
  };

  Transport& transport_;
  const ModuleFiles& files_;
  std::map<ModuleId, Early> early_;  ///< of modules that may be this executor's soon
};

}  // namespace dipaco
