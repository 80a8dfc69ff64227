#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/coordinator/tables/owner_choice.hpp"
#include "core/model/topology.hpp"
#include "core/transport/messages.hpp"

namespace dipaco {

/// Who steps which shared module, at which epoch, and which nodes that are there have which version of it (§3.3). Pure
/// logic: no messages, no clock.
///
/// A module goes to another executor when its own is lost and one that is there can have it: from a store's copy, from
/// its own storage, or, at version 0, from the prepared start. Until then it waits for its last owner. A hello or a
/// loss takes as long as the node has modules, however many others there are; settle() looks at all.
class Ownership {
 public:
  /// @param sizes     [levels] floats charged for a module of each level: owners get about equally many
  /// @param replicas  machines that have each version: the owner and replicas - 1 stores
  Ownership(const Topology& topology, std::vector<std::uint64_t> sizes, std::int64_t replicas);

  /// @param incarnation  where it is above the last one that was known, the executor owns nothing yet
  /// @returns what it owns again as before, as only the coordinator had lost it: with its contributions in hand
  std::vector<Owner> executor_up(NodeId node, const std::string& machine, const std::vector<HeldModule>& held,
                                 std::int32_t incarnation = 0);
  void store_up(NodeId node, const std::string& machine, const std::vector<HeldModule>& held);
  void gone(NodeId node);
  /// Whom modules go to that have no owner.
  void prefer(OwnerChoice choice) { choice_ = std::move(choice); }
  /// What a journal says. @param still_there  the owner may hold the module yet: its Hello, or its loss, will tell
  void restore(const Owner& owner, bool still_there);
  void restore(ModuleId module, Version version) { entries_.at(module).version = version; }

  /// What settle() has changed.
  struct Changes {
    std::vector<Owner> owners;   ///< new ones, or the same at a higher epoch
    std::set<NodeId> executors;  ///< whose list is another
    bool any_without = false;    ///< there are modules that have no owner
  };
  /// Gives each module that has no owner one, if it can, and each owner stores for its copies.
  Changes settle();

  /// An owner has this version out. @returns false where it is not (or no longer) the owner at this epoch
  bool ready(NodeId from, const ModuleReady& message);
  /// The owner; executor -1: none now.
  const Owner& owner(ModuleId module) const { return entries_.at(module).owner; }
  /// Whether the owner has said that it holds the module.
  bool confirmed(ModuleId module) const { return entries_.at(module).confirmed; }
  std::vector<OwnModule> list(NodeId executor) const;
  /// The shared modules.
  std::vector<ModuleId> modules() const;

 private:
  struct Entry {
    Owner owner;
    NodeId last{-1};    ///< owner before it was lost
    bool anew = false;  ///< that one has begun anew since: it holds the module no more
    bool confirmed = false;
    Version version{};           ///< newest that is out
    NodeId source{-1};           ///< store that the owner takes it from
    std::vector<NodeId> copies;  ///< stores
    std::map<NodeId, std::vector<Version>>
        held;  ///< versions at each node that is there: its newest, without rounds all
  };

  std::vector<Version>& hold(NodeId node, ModuleId module);
  std::set<ModuleId> drop_held(NodeId node);
  void disown(NodeId node, ModuleId module);
  bool adopt(Entry& entry);
  void give(Entry& entry, NodeId executor, NodeId source);
  bool choose_copies(ModuleId module, Entry& entry) const;
  NodeId executor_for(ModuleId module) const;

  std::vector<std::uint64_t> sizes_;
  std::size_t copies_;
  std::map<ModuleId, Entry> entries_;
  std::map<NodeId, std::string> executors_;      ///< that are there, with their machines
  std::map<NodeId, std::int32_t> incarnations_;  ///< of executors, as their last hellos said
  std::map<NodeId, std::string> stores_;
  OwnerChoice choice_;
  std::map<NodeId, std::set<ModuleId>> of_node_;  ///< what each has a version of, or owns: or owned, of late
};

}  // namespace dipaco
