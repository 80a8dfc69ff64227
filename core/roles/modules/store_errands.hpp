#pragma once

#include <compare>
#include <map>
#include <set>

#include "core/roles/modules/owned_module.hpp"
#include "core/transport/transport.hpp"

namespace dipaco {

/// What an executor asks of stores, and puts to them: modules that it takes over, copies of its versions, path states
/// to make a lost outer gradient of again. Each is sent once, and again after a loss.
class StoreErrands {
 public:
  using Modules = std::map<ModuleId, OwnedModule>;
  StoreErrands(Transport& transport, const ModuleFiles& files) : transport_(transport), files_(files) {}

  /// Sends what is due and not under way.
  void run(const Modules& modules);
  /// Whether something of that could not be sent.
  bool unsent(const Modules& modules) const;
  /// Sends the versions that stores must have before the newest is out.
  void put_copies(ModuleId module, const OwnedModule& mine);
  /// What was under way to the store, or asked of it, is lost.
  void lost(NodeId store);
  /// Of modules that are not this executor's any more nothing is awaited.
  void keep_only(const Modules& modules);

  // Answers.
  void taken(NodeId store, ModuleId module) { sent_.erase({store, module}); }
  void stored(NodeId store, ModuleId module, Version version) { sent_.erase({store, module, PathId{-1}, version}); }
  void fetched(ModuleId module, PathId path);

 private:
  /// What was asked of a store, or put to it, and has not been answered.
  struct Errand {
    NodeId store{-1};
    ModuleId module;
    PathId path{-1};      ///< of an outer gradient to be made again; -1: the module itself
    Version version{-1};  ///< that is put; -1: fetched
    friend auto operator<=>(const Errand&, const Errand&) = default;
  };

  Transport& transport_;
  const ModuleFiles& files_;
  std::set<Errand> sent_;
};

}  // namespace dipaco
